import type { FolderGrant } from "../../../contract/caller.ts";
import type { ListedTool } from "../../../contract/tool-shapes.ts";
import type { Snippet } from "../../../features/clients/snippets.ts";

/** What agents have, what it costs, and what would change, types only. */

export interface AgentInput {
  readonly description?: string;
  readonly toolboxes?: readonly string[];
  readonly grants?: readonly string[];
  readonly folders?: readonly FolderGrant[];
  /** Tools that its lists never leave to `tool_search`. */
  readonly pins?: readonly string[];
  readonly model?: string | null;
  /** What would ask a person is denied. */
  readonly headless?: boolean;
  /** Its model runs on this machine or near it. */
  readonly localModel?: boolean;
  /** It leads other agents. */
  readonly coordinator?: boolean;
}

/** `PATCH /api/agents/:name` */
export interface AgentChangeInput extends AgentInput {
  /** Its `updatedAt` as it was read: 409 where it is another by now. */
  readonly since?: number;
}

/** Names in toolboxes, grants and pins that nothing has, and patterns that match no tool yet. */
export interface Unanswered {
  readonly unknown: readonly string[];
  readonly unmatched: readonly string[];
}

/** `floor`, `grant`, or `toolbox NAME`; with the pattern in brackets where one covers the tool. */
export type GrantSource = string;

export interface AgentTool extends ListedTool {
  readonly grantedBy: readonly GrantSource[];
  /** Its lists leave it to `tool_search`. */
  readonly deferred: boolean;
}

/** A tool that was given and that a rule denies outright. */
export interface HiddenTool {
  readonly name: string;
  readonly rule: string;
}

/** What the list that a conversation begins with takes of a model's window, in tokens; about. */
export interface ListCost {
  /** How many tools are in it, and what they take together with what is told of the others. */
  readonly listed: number;
  readonly listedTokens: number;
  /** How many are left to `tool_search`. */
  readonly deferred: number;
  /** What a list of all of them would take. */
  readonly wholeTokens: number;
  /** What the list keeps out of each prompt: the whole without it. */
  readonly keptTokens: number;
}

/** `GET /api/agents/:name/tools` */
export interface AgentTools extends Unanswered {
  readonly agent: string;
  readonly tools: readonly AgentTool[];
  readonly hidden: readonly HiddenTool[];
  readonly cost: ListCost;
  /** Names of tools that it will have once there are such. */
  readonly planned: readonly string[];
}

/** `POST /api/access/preview`: a change that nobody has made. */
export interface AccessChange {
  /** An agent as it would be; what is not given stays. One that does not exist would be made. */
  readonly agent?: AgentInput & { readonly name: string; readonly parent?: string; readonly scout?: boolean };
  /** A toolbox as it would be; `tools` null: deleted. */
  readonly toolbox?: { readonly name: string; readonly tools: readonly string[] | null };
}

export interface AccessPreview {
  /** The agents for which something would change, and the one that is named. */
  readonly agents: readonly AgentChange[];
  /** What the toolbox would give; absent where none is named. */
  readonly toolbox?: ToolboxContents;
}

export interface AgentChange extends Unanswered {
  readonly agent: string;
  readonly added: readonly ChangedTool[];
  readonly removed: readonly ChangedTool[];
  /** Given, and hidden by a rule all the same. */
  readonly hidden: readonly HiddenTool[];
  readonly before: ListCost;
  readonly after: ListCost;
}

export interface ChangedTool {
  readonly name: string;
  readonly origin: string;
  /** Where it would come from, or came from. */
  readonly grantedBy: readonly GrantSource[];
}

/** What a toolbox gives now. */
export interface ToolboxContents extends Unanswered {
  readonly tools: readonly ToolboxTool[];
  readonly planned: readonly string[];
  /** What a list of all of them would take. */
  readonly tokens: number;
}

export interface ToolboxTool extends ListedTool {
  /** What of the toolbox gives it: its name, a pattern or `*`. */
  readonly entry: string;
}

/** `GET /api/toolboxes/:name/tools` */
export interface ToolboxTools extends ToolboxContents {
  readonly toolbox: string;
}

/** `GET /api/mcp/snippets`: what to write into the settings of clients. */
export interface SnippetList {
  readonly snippets: readonly ClientSnippet[];
  /** Stands in the texts where the token belongs. */
  readonly placeholder: string;
}

export type ClientSnippet = Snippet;
