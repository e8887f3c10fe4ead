import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import type { IconName } from "../ui/icon.tsx";
import { loadPart } from "./load-part.ts";

/** What a page is given: the parts of its address, and nothing else. */
export type PageProps = { readonly params: Readonly<Record<string, string | undefined>> };

type PageComponent = LazyExoticComponent<ComponentType<PageProps>>;

interface Route {
  /** `/servers/:name?`: the part with a question mark may be missing. */
  readonly path: string;
  readonly page: PageComponent;
}

interface NavEntry {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
}

/** Loaded when it is first opened. */
function page(load: () => Promise<{ Page: ComponentType<PageProps> }>): PageComponent {
  return lazy(async () => ({ default: (await loadPart(load)).Page }));
}

/** Every page. A new one is a line here, one in `NAV`, and its first word in `src/surfaces/api/pages/dashboard-paths.ts` of the daemon. */
export const ROUTES: readonly Route[] = [
  { path: "/", page: page(() => import("../pages/home/home-page.tsx")) },
  { path: "/servers/:name?", page: page(() => import("../pages/servers/servers-page.tsx")) },
  { path: "/tools/:name?", page: page(() => import("../pages/tools/tools-page.tsx")) },
  { path: "/toolboxes/:name?", page: page(() => import("../pages/toolboxes/toolboxes-page.tsx")) },
  { path: "/agents/:name?", page: page(() => import("../pages/agents/agents-page.tsx")) },
  { path: "/knowledge/:part?/:id?", page: page(() => import("../pages/knowledge/knowledge-page.tsx")) },
  { path: "/tasks/:part?/:id?", page: page(() => import("../pages/tasks/tasks-page.tsx")) },
  { path: "/approvals/:id?", page: page(() => import("../pages/approvals/approvals-page.tsx")) },
  { path: "/rules/:id?", page: page(() => import("../pages/rules/rules-page.tsx")) },
  { path: "/audit/:id?", page: page(() => import("../pages/audit/audit-page.tsx")) },
  { path: "/vault/:name?", page: page(() => import("../pages/vault/vault-page.tsx")) },
  { path: "/notifications/:id?", page: page(() => import("../pages/notifications/notifications-page.tsx")) },
  { path: "/users/:name?", page: page(() => import("../pages/users/users-page.tsx")) },
  { path: "/settings/:key?", page: page(() => import("../pages/settings/settings-page.tsx")) },
];

/** The navigation, in groups. */
export const NAV: readonly (readonly NavEntry[])[] = [
  [
    { to: "/", label: "Home", icon: "home" },
    { to: "/approvals", label: "Approvals", icon: "approval" },
    { to: "/notifications", label: "Notifications", icon: "bell" },
  ],
  [
    { to: "/servers", label: "Servers", icon: "server" },
    { to: "/tools", label: "Tools", icon: "tool" },
    { to: "/toolboxes", label: "Toolboxes", icon: "toolbox" },
    { to: "/agents", label: "Agents", icon: "agent" },
    { to: "/tasks", label: "Tasks", icon: "task" },
    { to: "/knowledge", label: "Knowledge", icon: "knowledge" },
  ],
  [
    { to: "/rules", label: "Rules", icon: "rule" },
    { to: "/audit", label: "Audit", icon: "audit" },
  ],
  [
    { to: "/vault", label: "Vault", icon: "vault" },
    { to: "/users", label: "Users", icon: "people" },
    { to: "/settings", label: "Settings", icon: "settings" },
  ],
];

export interface Match {
  readonly page: PageComponent;
  readonly path: string;
  readonly params: PageProps["params"];
}

export function matchRoute(pathname: string, routes: readonly Route[] = ROUTES): Match | undefined {
  for (const { path, page } of routes) {
    const params = paramsOf(path, pathname);
    if (params) return { page, path, params };
  }
  return undefined;
}

function paramsOf(pattern: string, pathname: string): Record<string, string> | undefined {
  const wanted = pattern.split("/").filter(Boolean);
  const given = pathname.split("/").filter(Boolean);
  if (given.length > wanted.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index];
    if (!part.startsWith(":")) {
      if (value !== part) return undefined;
    } else if (value !== undefined) {
      params[part.replace(/^:|\?$/g, "")] = decoded(value);
    } else if (!part.endsWith("?")) {
      return undefined;
    }
  }
  return params;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
