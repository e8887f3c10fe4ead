import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import type { IconName } from "../ui/icon.tsx";
import { loadChunk } from "./load-chunk.ts";

/** The props of every page: the parameters of its path. */
export type PageProps = { readonly params: Readonly<Record<string, string | undefined>> };

type PageComponent = LazyExoticComponent<ComponentType<PageProps>>;

interface Route {
  /** `/servers/:name?`: a parameter with a question mark is optional. */
  readonly path: string;
  readonly page: PageComponent;
}

interface NavEntry {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
}

/** A page whose code loads when it is first opened. */
function lazyPage(load: () => Promise<{ Page: ComponentType<PageProps> }>): PageComponent {
  return lazy(async () => ({ default: (await loadChunk(load)).Page }));
}

/** All pages. To add one: a line here, one in `NAV`, and its first segment in the daemon's `src/surfaces/api/pages/dashboard-paths.ts`. */
export const ROUTES: readonly Route[] = [
  { path: "/", page: lazyPage(() => import("../pages/home/home-page.tsx")) },
  { path: "/servers/:name?", page: lazyPage(() => import("../pages/servers/servers-page.tsx")) },
  { path: "/tools/:name?", page: lazyPage(() => import("../pages/tools/tools-page.tsx")) },
  { path: "/toolboxes/:name?", page: lazyPage(() => import("../pages/toolboxes/toolboxes-page.tsx")) },
  { path: "/agents/:name?", page: lazyPage(() => import("../pages/agents/agents-page.tsx")) },
  { path: "/knowledge/:part?/:id?", page: lazyPage(() => import("../pages/knowledge/knowledge-page.tsx")) },
  { path: "/tasks/:part?/:id?", page: lazyPage(() => import("../pages/tasks/tasks-page.tsx")) },
  { path: "/approvals/:id?", page: lazyPage(() => import("../pages/approvals/approvals-page.tsx")) },
  { path: "/rules/:id?", page: lazyPage(() => import("../pages/rules/rules-page.tsx")) },
  { path: "/audit/:id?", page: lazyPage(() => import("../pages/audit/audit-page.tsx")) },
  { path: "/vault/:name?", page: lazyPage(() => import("../pages/vault/vault-page.tsx")) },
  {
    path: "/notifications/:id?",
    page: lazyPage(() => import("../pages/notifications/notifications-page.tsx")),
  },
  { path: "/users/:name?", page: lazyPage(() => import("../pages/users/users-page.tsx")) },
  { path: "/settings/:key?", page: lazyPage(() => import("../pages/settings/settings-page.tsx")) },
];

/** The entries of the navigation, in groups. */
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
    { to: "/users", label: "People", icon: "people" },
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
    const params = matchParams(path, pathname);
    if (params) return { page, path, params };
  }
  return undefined;
}

function matchParams(pattern: string, pathname: string): Record<string, string> | undefined {
  const patternParts = pattern.split("/").filter(Boolean);
  const pathParts = pathname.split("/").filter(Boolean);
  if (pathParts.length > patternParts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of patternParts.entries()) {
    const value = pathParts[index];
    if (!part.startsWith(":")) {
      if (value !== part) return undefined;
    } else if (value !== undefined) {
      params[part.replace(/^:|\?$/g, "")] = decode(value);
    } else if (!part.endsWith("?")) {
      return undefined;
    }
  }
  return params;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
