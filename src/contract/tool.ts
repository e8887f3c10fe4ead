/**
 * The one tool contract. Native tools, tools of MCP servers, scripts and plugins all look like this; nothing in
 * the program asks where a tool came from.
 */

import type { FileRules } from "../lib/files/file-rules.ts";
import type { JsonSchema } from "../lib/json.ts";
import type { Caller, Scope } from "./caller.ts";

export type { JsonSchema };

/** The subjects of the tools that come with Toolkeep. */
export const DOMAINS = [
  "files",
  "shell",
  "people",
  "work",
  "web",
  "memory",
  "history",
  "vault",
  "system",
  "servers",
  "toolboxes",
  "agents",
  "tasks",
  "projects",
  "knowledge",
  "providers",
  "prompts",
  "avatars",
  "contacts",
  "channels",
  "email",
  "calendar",
  "address-book",
] as const;
export type Domain = (typeof DOMAINS)[number];

/** The agents that a tool is for: the agent of a conversation, one spawned by another agent, or both. */
export type Availability = "main" | "sub-agent" | "both";

export interface ToolFlags {
  /** Never changes anything outside the call. */
  readonly readOnly: boolean;
  /** May run beside other concurrency-safe calls of the same step. */
  readonly concurrencySafe: boolean;
  /** May delete or overwrite what a person cares about. */
  readonly destructive: boolean;
}

/**
 * The effects of a tool outside the call, for rules: read and change files, reach the network, run programs, use
 * secrets, ask people, change agents and what they have, change this installation.
 */
export const CAPABILITIES = [
  "fs.read",
  "fs.write",
  "net",
  "shell",
  "secrets",
  "people",
  "agents",
  "admin",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Whether a tool can be called right now. `reason` is a sentence for the caller. */
export type ToolStatus =
  | { readonly kind: "active" }
  | { readonly kind: "disabled"; readonly reason: string }
  | { readonly kind: "pending_approval"; readonly reason: string }
  | { readonly kind: "unavailable"; readonly reason: string }
  /** Only announced: people see its name, models do not. */
  | { readonly kind: "planned"; readonly reason: string };

export interface Tool {
  /** Unique in the catalogue: `[a-z0-9_]`, at most 64 characters, never reassigned. */
  readonly name: string;
  /** The name at its origin (`read_text_file`). A call may use it if only one active tool has it. */
  readonly ownName: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** A problem that people should know about, such as a published schema that cannot be used. */
  readonly warning?: string;
  readonly outputSchema?: JsonSchema;
  /** Published by the origin and passed on untouched: annotations, icons, `_meta`. */
  readonly published?: Readonly<Record<string, unknown>>;
  readonly flags: ToolFlags;
  /** Absent if it has none that matter. */
  readonly capabilities?: readonly Capability[];
  /** Nobody vouches for its origin: what it says about itself may tighten rules, never loosen them. */
  readonly untrusted?: boolean;
  /** The folder that relative paths in its arguments start from. Absent: the default for its kind of tool. */
  readonly startsIn?: string;
  /** Labels that a conversation gets once it has read a result: `untrusted_content`, `secrets` … */
  readonly labels?: readonly string[];
  readonly scope: Scope;
  readonly availability: Availability;
  /** Part of the core floor: granted to every agent, whatever its toolboxes. */
  readonly floor: boolean;
  /** True if `*` in a toolbox covers it. */
  readonly wildcard: boolean;
  /** For people and for rules: `native`, `platform`, `custom`, `plugin:<plugin>`, `mcp:<server>`. The permission of a tool is `<origin>:<ownName>`. */
  readonly origin: string;
  /** The subject of a native tool, for lists. Absent for all others. */
  readonly domain?: Domain;
  /** Its `structured` result is passed on whole, or not at all if it is too large. */
  readonly verbatim?: boolean;
  /** It returns text that is stored already, so that a cut output needs no second copy. */
  readonly rereads?: boolean;
  /** How long one call may take, within the executor's hard cap of 600 s. */
  readonly timeoutMs: number;
  /** Each progress update restarts `timeoutMs`, within the same cap. */
  readonly progressExtendsTimeout?: boolean;
  /** Returns the arguments as people and the audit may see them, valid or not. Absent: unchanged. */
  readonly shownArguments?: (args: unknown) => unknown;
  /**
   * Returns the hosts that a call with these arguments reaches, for secrets bound to hosts. Absent: all hosts that they
   * name.
   */
  hostsOf?(args: Readonly<Record<string, unknown>>): Iterable<string>;
  /** The URI that a call reads, if the tool stands for a resource; for rules. */
  readonly reads?: string;
  /** Its arguments may name secrets for later use, as `{{secret:NAME}}`. It gets the names, never the values. */
  readonly takesSecretNames?: boolean;
  /** Cheap and synchronous: no I/O. */
  status(): ToolStatus;
  /**
   * Runs with arguments that fit `inputSchema`. Only `executor/execute.ts` calls this. Resolves for everything
   * a caller, server or person can cause; a throw is a bug. Stops soon after `context.signal` aborts.
   */
  run(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
  /** If set, a call stands for the call that its arguments describe, and `run` is never used. */
  readonly standsFor?: (args: Readonly<Record<string, unknown>>) => Pick<ToolCall, "name" | "arguments">;
  /** Like `run`, for a task that it started. Its output is the whole answer, in `structured`. */
  followTask?(request: TaskRequest, context: ToolContext): Promise<ToolResult>;
}

/** A provider of tools. The catalogue knows nothing else about it. */
export interface ToolSource {
  readonly name: string;
  /** The current tools, from memory, in a stable order. */
  tools(): readonly Tool[];
  /** Calls `listener` after `tools()` changed. Returns the function that stops it. */
  onChange(listener: () => void): () => void;
}

/** A source that must be closed. */
export interface ClosableSource extends ToolSource {
  close(): Promise<void>;
}

/** A block of MCP content, unchanged. Only `type` is guaranteed. */
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

/** A question that a tool asks its caller, in the terms of MCP. */
export interface Inquiry {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params: Readonly<Record<string, unknown>>;
}

/** Answers the inquiries of called tools on behalf of a caller. */
export interface Answering {
  /** The MCP client capabilities that `answer` supports: `elicitation`, `sampling`, `roots`. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Valid for this call only: other calls of the conversation may come from another client. */
  readonly isExclusive?: boolean;
  /** Resolves with the result object of the method; a rejection tells the tool that there is no answer. */
  answer(inquiry: Inquiry, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * For a caller that is asked through the answer to its call, and replies by calling again (2026-07-28). A tool that
 * supports this returns `asks` instead of using `answering`, and keeps nothing between the rounds.
 */
export interface Rounds {
  /** The MCP client capabilities of the caller, which say what it can be asked. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** The answers to the previous round; absent in the first. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** The state that this tool returned in the previous round. No other tool gets it. */
  readonly state?: string;
  readonly tool?: string;
  /**
   * `approved` of the previous round's request, which a person approved. Counts once. Only the code that sealed it may
   * set it.
   */
  readonly approved?: string;
  /**
   * `approval` of the previous round's request, which asked whether the call may run. Only the code that sealed it may
   * set it.
   */
  readonly approval?: string;
}

/** A message from a tool to its caller besides progress, in the terms of MCP. */
export interface Notice {
  readonly method: "notifications/message" | "notifications/elicitation/complete";
  readonly params: Readonly<Record<string, unknown>>;
}

/** The messages that a caller receives while its call runs. */
export interface Listening {
  /** The lowest level of server log messages that the caller wants with this call. Absent: none. */
  readonly logLevel?: string;
  readonly onNotice?: (notice: Notice) => void;
}

/** Do not copy it: some members are created on first use. */
export interface ToolContext extends Listening {
  readonly callId: string;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly progress: (update: Progress) => void;
  /** Absent if nobody can be asked during this call. */
  readonly answering?: Answering;
  readonly rounds?: Rounds;
  /** Metadata that came with the call, besides its arguments. */
  readonly meta?: CallMeta;
  /** Absent if there are no rules. */
  readonly files?: FileRules;
}

/** MCP's `_meta` without connection-specific keys: `traceparent`, `baggage`, keys of vendors. */
export type CallMeta = Readonly<Record<string, unknown>>;

/** An MCP error that a client must see as such, because it acts on its code. */
export interface ProtocolFault {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The questions that a tool asks before it continues. The answers return under the same names. */
export interface InputRequest {
  readonly inquiries: Readonly<Record<string, Inquiry>>;
  /** Returned with the answers, unchanged. */
  readonly state?: string;
  /** Becomes `rounds.approved` of the next round. Never set by a tool. */
  readonly approved?: string;
  /** Becomes `rounds.approval` of the next round. Never set by a tool. */
  readonly approval?: string;
}

/** Work that continues after the call that started it (MCP tasks). */
export interface Task {
  /** The tool's id of the task. */
  readonly id: string;
  /** The task as MCP describes it, without the id. */
  readonly state: Readonly<Record<string, unknown>>;
}

/** A request about a task that a tool started. */
export interface TaskRequest {
  readonly id: string;
  readonly action: "get" | "update" | "cancel";
  /** Answers to questions of the task, for `update`. */
  readonly answers?: Readonly<Record<string, unknown>>;
}

/**
 * Ids of shared items that a call returned or wrote (for an agent: what it says now), and the labels stored with the
 * returned ones.
 */
export type SharedContent = { readonly [part in "gave" | "wrote" | "labels"]?: readonly string[] };

/** The result of `run`. Every kind except `output` and `failed` ends the call with the outcome of the same name. */
export type ToolResult =
  | {
      readonly kind: "output";
      readonly content: readonly Content[];
      readonly structured?: Readonly<Record<string, unknown>>;
      /** Replaces `structured` if the result is not an object: a list, a text, a number, null. */
      readonly structuredValue?: unknown;
      readonly meta?: Readonly<Record<string, unknown>>;
      readonly shared?: SharedContent;
    }
  | {
      /** The tool ran and reports a failure. `message` tells the model what to do about it. */
      readonly kind: "failed";
      readonly message: string;
      readonly content?: readonly Content[];
      readonly structured?: Readonly<Record<string, unknown>>;
      /** Replaces `structured` if the result is not an object: a list, a text, a number, null. */
      readonly structuredValue?: unknown;
      readonly meta?: Readonly<Record<string, unknown>>;
      readonly fault?: ProtocolFault;
    }
  | {
      readonly kind: "unavailable";
      readonly message: string;
      /** Nothing of the call was sent, so its approval was not used. Absent if that is not certain. */
      readonly isUnsent?: true;
    }
  | { readonly kind: "timed_out"; readonly message: string }
  | {
      /** A person (or the parent agent) was asked. The same call picks up the answer later. */
      readonly kind: "needs_input";
      readonly message: string;
      readonly questionId: string;
    }
  | {
      /** Only if `context.rounds` is set. Ends the call with the outcome `needs_input`. */
      readonly kind: "asks";
      readonly asked: InputRequest;
    }
  | {
      /** The work continues after the call, for a caller that follows tasks. Ends the call with the outcome `ok`. */
      readonly kind: "task";
      readonly task: Task;
    };

/**
 * Every tool that existed when a turn of a model began, listed or not, by the caller's name for it. The turn can call
 * no others.
 */
export type Snapshot = ReadonlyMap<string, Tool>;

/** The kinds of call besides tool calls. They take the same path. */
export type OfferCallKind = "resource" | "subscription" | "prompt" | "completion" | "task";

/** The receiver of resource changes. It outlives the call that starts it. */
export interface Subscription {
  /** The subscriber with its current grants; undefined if the agent no longer exists. */
  readonly callerNow: () => Caller | undefined;
  readonly onUpdate: (update: { readonly uri: string; readonly [field: string]: unknown }) => void;
  readonly signal: AbortSignal;
}

export interface ToolCall extends Listening {
  /**
   * Absent for a tool. Otherwise `name` is the URI of a resource (to read, or to subscribe to), the name of a prompt,
   * or either for a completion; for a task it is the tool that started it.
   */
  readonly kind?: OfferCallKind;
  readonly name: string;
  readonly arguments: unknown;
  readonly caller: Caller;
  /** Absent: the tools that exist when the call is made. */
  readonly snapshot?: Snapshot;
  readonly via: "mcp" | "api" | "library";
  /** The caller's span that this call belongs to, in the format of W3C Trace Context. */
  readonly traceparent?: string;
  /** Passed on to the tool's server only. The code that accepts it from outside must limit its size. */
  readonly meta?: CallMeta;
  /** Cancels the call. Listeners must be removed when the call is over. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (update: Progress) => void;
  readonly answering?: Answering;
  readonly rounds?: Rounds;
  /** Only for calls of the kind `subscription`. */
  readonly subscription?: Subscription;
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

/** How calls end that never reached their tool. */
export const REFUSED_OUTCOMES: ReadonlySet<OutcomeName> = new Set([
  "unknown_tool",
  "ambiguous_tool",
  "not_granted",
  "disabled",
  "pending_approval",
  "invalid_arguments",
  "denied",
]);

export interface OutcomeError {
  readonly message: string;
  readonly remedy?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The result of every call. Models read `text`; MCP clients get `content`. */
export interface ToolOutcome {
  readonly callId: string;
  readonly outcome: OutcomeName;
  /** The resolved name; absent if no tool was found. */
  readonly tool?: string;
  readonly content: readonly Content[];
  readonly structured?: Readonly<Record<string, unknown>>;
  /** Replaces `structured` if the result is not an object. */
  readonly structuredValue?: unknown;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Present unless the outcome is `ok`. */
  readonly error?: OutcomeError;
  readonly fault?: ProtocolFault;
  /** The questions that the tool asks first. The caller answers by making the call again. */
  readonly asked?: InputRequest;
  /** The task that continues. The caller asks about it by calls of the kind `task`. */
  readonly task?: Task;
  readonly durationMs: number;
  readonly truncated: boolean;
  /** The whole text if `truncated`, for `read_tool_output`; absent if it could not be stored. */
  readonly fullOutput?: { readonly id: string; readonly chars: number; readonly bytes: number };
}
