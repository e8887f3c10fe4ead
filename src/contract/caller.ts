/** What a token must carry to see or call a tool. A token without a scope list has all of them. */
export const SCOPES = [
  "files",
  "shell",
  "web",
  "human",
  "tools",
  "admin",
  "mcp",
  "search",
  "get",
  "memory.read",
  "memory.write",
  "sync",
  "ingest",
] as const;
export type Scope = (typeof SCOPES)[number];

/** Lets a token see what bears a label, beside what bears none. It is part of no "all of them": it has to be named. */
export type LabelScope = `label:${string}`;
/** What the list of a token may hold. */
export type TokenScope = Scope | LabelScope;

const LABEL_PREFIX = "label:";
/** How labels are written. */
export const LABEL = /^[a-z0-9][a-z0-9_-]{0,39}$/;

/** The label that a scope is about; undefined: it is about tools. */
export function labelOf(scope: string): string | undefined {
  const label = scope.startsWith(LABEL_PREFIX) ? scope.slice(LABEL_PREFIX.length) : "";
  return LABEL.test(label) ? label : undefined;
}

export function isTokenScope(text: string): text is TokenScope {
  return SCOPES.includes(text as Scope) || labelOf(text) !== undefined;
}

/** What people and admin tokens may do at `/api`, each more than the one before. */
export const ROLES = ["viewer", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** Whether whoever has a role may do what wants another. */
export function covers(role: Role, wanted: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(wanted);
}

/** Who an agent is to others: the one of a conversation, one that works for another, or one that only looks around for it. */
export type AgentContext = "main" | "sub-agent" | "scout";

/** A folder outside its workspace that an agent may use. */
export interface FolderGrant {
  readonly path: string;
  readonly access: "read" | "write";
}

/** A smaller part of what an agent has, chosen by the address it came to. */
export type Narrowing =
  /** What this toolbox holds and the agent has; without the floor. */
  | { readonly toolbox: string }
  /** What this server offers, by the names that it gave. */
  | { readonly server: string };

/** The program in which the caller's model runs, as far as it is known; `client`: as it calls itself. */
export interface Host {
  readonly client?: string;
  /** It was told that its tool list is another now, and did not look: what it finds, it calls through `call_tool`. */
  readonly keepsList?: boolean;
  /** How many tokens its model can read, and how many tools it takes; absent: what is known of client and model. */
  readonly window?: number;
  readonly maxTools?: number;
}

/** Who calls: an agent, seen through the token it came with. */
export interface Caller {
  readonly agentId: string;
  readonly agentName: string;
  readonly context: AgentContext;
  readonly parentId: string | null;
  readonly toolboxes: readonly string[];
  /** Tools granted one by one, by name. */
  readonly grants: readonly string[];
  readonly folders: readonly FolderGrant[];
  /** Null: every scope of tools, and no label. */
  readonly scopes: readonly TokenScope[] | null;
  /** Scopes whose writing tools this connection does not get, whatever its token has. */
  readonly withheld?: readonly Scope[];
  /** The person at the command line or dashboard: every tool that exists, whatever the toolboxes. */
  readonly operator: boolean;
  readonly tokenId: string | null;
  /** The name of the person who calls, or has the agent call. */
  readonly person?: string;
  /** Ties the calls of one conversation together. */
  readonly conversation: string;
  readonly narrowing?: Narrowing;
  /** Tools that are never left out of its lists, by name. */
  readonly pins?: readonly string[];
  /** The model it runs on, where somebody said so. */
  readonly model?: string;
  /** That model runs on this machine or near it, whatever its name. */
  readonly localModel?: boolean;
  /** It leads other agents. */
  readonly coordinator?: boolean;
  readonly host?: Host;
  /** A person sits at its client, who may approve a single call of it there. */
  readonly interactive?: boolean;
}
