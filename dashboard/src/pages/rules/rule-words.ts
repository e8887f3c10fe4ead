import type { RuleInput, RuleView } from "../../api/contract.ts";
import type { Tone } from "../../ui/badge.tsx";

export type Action = RuleInput["action"];

/** How people say what a rule does. */
export const ACTIONS: Readonly<Record<Action, { readonly label: string; readonly tone: Tone }>> = {
  allow: { label: "Allow", tone: "ok" },
  ask: { label: "Ask me first", tone: "warn" },
  deny: { label: "Never", tone: "bad" },
};

export const ORIGINS: Readonly<Record<RuleView["from"], string>> = {
  default: "Comes with Toolkeep",
  user: "For every agent",
  project: "The project's file",
  agent: "For one agent",
  session: "For one conversation",
};

/** Where a rule stands, and so where it is changed. */
export function whereFrom({ from, where, id, createdBy }: RuleView): string {
  if (id !== null) return `written here${createdBy === null ? "" : ` by ${createdBy}`}`;
  return from === "default" ? "comes with Toolkeep" : where;
}

type Pattern = RuleView["pattern"] | undefined;

const SUBJECTS: Readonly<Record<string, string>> = {
  path: "the path",
  host: "the host",
  command: "the command",
};

export function patternInWords(pattern: Pattern): string {
  if (pattern === null || pattern === undefined) return "";
  if (typeof pattern === "string") return `something in the call is like ${pattern}`;
  return Object.entries(pattern)
    .map(([name, globs]) => {
      const what = SUBJECTS[name] ?? `the argument ${name.replace(/^arg\./, "")}`;
      return `${what} is like ${[globs].flat().join(" or ")}`;
    })
    .join(" and ");
}

/** What a tool can do outside its call, as `permission` names it. */
export const CAPABILITY_WORDS: Readonly<Record<string, string>> = {
  "fs.read": "a tool that reads files",
  "fs.write": "a tool that writes files",
  net: "a tool that uses the network",
  shell: "a tool that runs commands",
  secrets: "a tool that uses secrets",
  people: "a tool that asks people",
  agents: "a tool that works with agents",
  admin: "a tool that administers Toolkeep",
};

const PERMISSIONS: Readonly<Record<string, string>> = {
  ...CAPABILITY_WORDS,
  "*": "any tool",
  destructive: "a tool that may destroy something",
};

export function permissionInWords(permission: string): string {
  const known = PERMISSIONS[permission];
  if (known !== undefined) return known;
  const [, server, tool] = /^mcp:([^:]+):(.+)$/.exec(permission) ?? [];
  if (server === undefined) return permission;
  return tool === "*" ? `any tool of the server ${server}` : `${tool} of the server ${server}`;
}

interface Worded extends Pick<RuleInput, "permission" | "action"> {
  readonly pattern?: Pattern;
  readonly agent?: string | null;
  readonly conversation?: string | null;
  readonly after?: string | null;
  readonly final?: boolean;
}

/** The whole rule as a sentence. */
export function ruleInWords({
  permission,
  action,
  pattern,
  agent,
  conversation,
  after,
  final,
}: Worded): string {
  const who = agent ?? "any agent";
  const what = permissionInWords(permission);
  const when = patternInWords(pattern);
  const rest = [
    when && `when ${when}`,
    after && `once the conversation has come in touch with ${after}`,
    conversation && "in this conversation",
  ].filter(Boolean);
  const tail = rest.length === 0 ? "" : `, ${rest.join(", ")}`;
  if (action === "allow") return `Let ${who} call ${what}${tail}.`;
  if (action === "ask") return `Ask a person before ${who} calls ${what}${tail}.`;
  return `Never let ${who} call ${what}${tail}${final ? "; nothing may loosen this" : ""}.`;
}

/** The address of a rule: its id, or of one that is not stored a number made of what it says. */
export function ruleKey({ id, from, permission, action, pattern, after, note }: RuleView): string {
  if (id !== null) return id;
  const text = JSON.stringify([permission, action, pattern, after, note]);
  let hash = 5381;
  for (let at = 0; at < text.length; at++) hash = ((hash * 33) ^ text.charCodeAt(at)) >>> 0;
  return `${from}-${hash.toString(36)}`;
}
