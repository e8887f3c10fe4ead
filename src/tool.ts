/**
 * The one tool contract. Native tools, tools of MCP servers, scripts and plugins all look like this; nothing in
 * the program asks where a tool came from.
 */

export type JsonSchema = Readonly<Record<string, unknown>>;

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

/** Where a tool makes sense: for the agent of a conversation, for one spawned by another agent, or for both. */
export type Availability = "main" | "sub-agent" | "both";

export interface ToolFlags {
  /** Never changes anything outside the call. */
  readonly readOnly: boolean;
  /** May run beside other concurrency-safe calls of the same step. */
  readonly concurrencySafe: boolean;
  /** May delete or overwrite what a person cares about. */
  readonly destructive: boolean;
}

/** Whether a tool can be called right now. `reason` is a sentence for the caller. */
export type ToolStatus =
  | { readonly kind: "active" }
  | { readonly kind: "disabled"; readonly reason: string }
  | { readonly kind: "pending_approval"; readonly reason: string }
  | { readonly kind: "unavailable"; readonly reason: string };

export interface Tool {
  /** Unique in the catalogue: `[a-z0-9_]`, at most 64 characters, never reassigned. */
  readonly name: string;
  /** The name at its origin (`read_text_file`), by which a call may name it when only one active tool has it. */
  readonly ownName: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** What people should know about it, such as a published schema that could not be used. */
  readonly warning?: string;
  readonly outputSchema?: JsonSchema;
  /** Published by the origin and passed on untouched: annotations, icons, `_meta`. */
  readonly published?: Readonly<Record<string, unknown>>;
  readonly flags: ToolFlags;
  readonly scope: Scope;
  readonly availability: Availability;
  /** Part of the core floor: granted to every agent, whatever its toolboxes. */
  readonly floor: boolean;
  /** Whether `*` in a toolbox covers it. */
  readonly wildcard: boolean;
  /** For people and for rules: `native`, `mcp:<server>`. The permission of a tool is `<origin>:<ownName>`. */
  readonly origin: string;
  /** How long one call may take, before the executor's hard cap of 600 s. */
  readonly timeoutMs: number;
  /** Each progress update gives a call `timeoutMs` again, before the same cap. */
  readonly progressExtendsTimeout?: boolean;
  /** The arguments as people and the audit may see them, whether they fit or not; absent: as they are. */
  readonly shownArguments?: (args: unknown) => unknown;
  /** Cheap and synchronous: no I/O. */
  status(): ToolStatus;
  /**
   * Runs with arguments that fit `inputSchema`. Only `executor/call-tool.ts` calls this. Resolves for everything
   * a caller, server or person can cause; a throw is a bug. Stops soon after `context.signal` aborts.
   */
  run(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
}

/** Something that offers tools. The catalogue knows nothing else about what stands behind it. */
export interface ToolSource {
  readonly name: string;
  /** The tools as of now, in a stable order, from memory. */
  tools(): readonly Tool[];
  /** Calls `listener` after the answer of `tools()` changed; returns the function that stops it. */
  onChange(listener: () => void): () => void;
}

/** A block of MCP content, kept as it came; only `type` is certain. */
export interface Content {
  readonly type: string;
  readonly [field: string]: unknown;
}

export const text = (value: string): Content => ({ type: "text", text: value });

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** What a tool asks of whoever called it, as MCP words it. */
export interface Inquiry {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params: Readonly<Record<string, unknown>>;
}

/** How a caller answers inquiries of the tools it calls. */
export interface Answering {
  /** The MCP client capabilities that `answer` stands for: `elicitation`, `sampling`, `roots`. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Resolves with the result object of the method; a rejection tells the tool that there is no answer. */
  answer(inquiry: Inquiry, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
}

export interface ToolContext {
  readonly callId: string;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly progress: (update: Progress) => void;
  /** Absent: nobody can be asked during this call. */
  readonly answering?: Answering;
}

/** What `run` gives back. Everything but `output` and `failed` ends the call with the outcome of the same name. */
export type ToolResult =
  | {
      readonly kind: "output";
      readonly content: readonly Content[];
      readonly structured?: Readonly<Record<string, unknown>>;
      readonly meta?: Readonly<Record<string, unknown>>;
    }
  | {
      /** The tool ran and says it did not work. `message` tells the model what to do about it. */
      readonly kind: "failed";
      readonly message: string;
      readonly content?: readonly Content[];
      readonly structured?: Readonly<Record<string, unknown>>;
      readonly meta?: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "unavailable"; readonly message: string }
  | { readonly kind: "timed_out"; readonly message: string }
  | {
      /** A person (or the parent agent) has been asked; the same call later picks the answer up. */
      readonly kind: "needs_input";
      readonly message: string;
      readonly questionId: string;
    };

/** A folder outside its workspace that an agent may use. */
export interface FolderGrant {
  readonly path: string;
  readonly access: "read" | "write";
}

/** Who calls: an agent, seen through the token it came with. */
export interface Caller {
  readonly agentId: string;
  readonly agentName: string;
  readonly context: "main" | "sub-agent";
  readonly parentId: string | null;
  readonly toolboxes: readonly string[];
  /** Tools granted one by one, by name. */
  readonly grants: readonly string[];
  readonly folders: readonly FolderGrant[];
  /** Null: every scope. */
  readonly scopes: readonly Scope[] | null;
  /** The person at the command line or dashboard: every tool that exists, whatever the toolboxes. */
  readonly operator: boolean;
  readonly tokenId: string | null;
  /** Ties the calls of one conversation together. */
  readonly conversation: string;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
  readonly caller: Caller;
  readonly via: "mcp" | "api" | "library";
  readonly signal?: AbortSignal;
  readonly onProgress?: (update: Progress) => void;
  readonly answering?: Answering;
}

/** Every way a call can end. */
export const OUTCOMES = [
  "ok",
  "failed",
  "timed_out",
  "cancelled",
  "unknown_tool",
  "ambiguous_tool",
  "not_granted",
  "disabled",
  "pending_approval",
  "unavailable",
  "invalid_arguments",
  "denied",
  "needs_approval",
  "needs_input",
  "internal_error",
] as const;
export type OutcomeName = (typeof OUTCOMES)[number];

export interface OutcomeError {
  readonly message: string;
  readonly remedy?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The one result envelope. `text` is what a model reads; `content` what an MCP client gets. */
export interface ToolOutcome {
  readonly callId: string;
  readonly outcome: OutcomeName;
  /** The resolved name; absent when nothing was resolved. */
  readonly tool?: string;
  readonly content: readonly Content[];
  readonly structured?: Readonly<Record<string, unknown>>;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Present unless the outcome is `ok`. */
  readonly error?: OutcomeError;
  readonly durationMs: number;
  readonly truncated: boolean;
  /** Where the whole output is when `truncated`: a path inside the caller's workspace. */
  readonly fullOutput?: { readonly path: string; readonly bytes: number };
}
