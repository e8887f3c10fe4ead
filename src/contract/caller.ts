/** The scopes that a token needs to see or call tools. A token without a scope list has all of them. */
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

/**
 * Lets a token see items with a label, besides items without one. Must always be named: a token without a scope list
 * does not have it.
 */
export type LabelScope = `label:${string}`;
/** An entry in a token's scope list. */
export type TokenScope = Scope | LabelScope;

const LABEL_PREFIX = "label:";
/** The format of labels. */
export const LABEL = /^[a-z0-9][a-z0-9_-]{0,39}$/;

/** Returns the label in a scope; undefined if the scope is about tools. */
export function labelOf(scope: string): string | undefined {
  const label = scope.startsWith(LABEL_PREFIX) ? scope.slice(LABEL_PREFIX.length) : "";
  return LABEL.test(label) ? label : undefined;
}

export function isTokenScope(text: string): text is TokenScope {
  return SCOPES.includes(text as Scope) || labelOf(text) !== undefined;
}

/** The roles of people and admin tokens at `/api`. Each includes the previous one. */
export const ROLES = ["viewer", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** True if `role` includes `wanted`. */
export function covers(role: Role, wanted: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(wanted);
}

/**
 * An agent's place among others: the agent of a conversation, a sub-agent that works for another, or a scout that only
 * reads for it.
 */
export type AgentContext = "main" | "sub-agent" | "scout";

/** A folder outside its workspace that an agent may use. */
export interface FolderGrant {
  readonly path: string;
  readonly access: "read" | "write";
}

/** Limits an agent to a part of its tools, by the address that its client uses. */
export type Narrowing =
  /** The agent's tools that are in this toolbox, without the core floor. */
  | { readonly toolbox: string }
  /** The tools of this server, under the names that the server gave them. */
  | { readonly server: string };

/** The program in which the caller's model runs, as far as it is known. `client` is the name that it gives itself. */
export interface Host {
  readonly client?: string;
  /** It ignored the notice that its tool list changed. Tools that it finds must be called through `call_tool`. */
  readonly keepsList?: boolean;
  /**
   * The context window of its model in tokens, and the most tools it accepts. Absent: known values for the client and
   * model.
   */
  readonly window?: number;
  readonly maxTools?: number;
}

/** The caller of a tool: an agent, with the limits of its token. */
export interface Caller {
  readonly agentId: string;
  readonly agentName: string;
  readonly context: AgentContext;
  readonly parentId: string | null;
  readonly toolboxes: readonly string[];
  /** Tools granted individually, by name. */
  readonly grants: readonly string[];
  readonly folders: readonly FolderGrant[];
  /** Null: every scope for tools, and no label. */
  readonly scopes: readonly TokenScope[] | null;
  /** Scopes whose writing tools this connection does not get, even if its token has them. */
  readonly withheld?: readonly Scope[];
  /** The person at the command line or dashboard, who can call every existing tool regardless of toolboxes. */
  readonly operator: boolean;
  readonly tokenId: string | null;
  /** The name of the person who calls, or for whom the agent calls. */
  readonly person?: string;
  /** Ties the calls of one conversation together. */
  readonly conversation: string;
  readonly narrowing?: Narrowing;
  /** Names of tools that its lists always include. */
  readonly pins?: readonly string[];
  /** The model that it runs on, if it is known. */
  readonly model?: string;
  /** The model runs on this machine or near it, whatever its name. */
  readonly localModel?: boolean;
  /** It leads other agents. */
  readonly coordinator?: boolean;
  readonly host?: Host;
  /** A person sits at its client and may approve single calls there. */
  readonly interactive?: boolean;
}
