/**
 * The one tool contract. Native tools, tools of MCP servers, scripts and plugins all look like this; nothing in
 * the program asks where a tool came from.
 */

import type { FileRules } from "../lib/files/file-rules.ts";
import type { JsonSchema } from "../lib/json.ts";
import type { Caller, Scope } from "./caller.ts";

export type { JsonSchema };

/** What the tools that come with Toolkeep are about. */
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

/**
 * What a tool can do outside the call, for rules: read and change files, reach the network, run programs, use
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
  /** It is only announced: people see it named, models do not. */
  | { readonly kind: "planned"; readonly reason: string };

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
  /** Absent: none that matters to anybody. */
  readonly capabilities?: readonly Capability[];
  /** Its origin is one that nobody vouches for: what it says of itself may tighten, never loosen. */
  readonly untrusted?: boolean;
  /** The folder that relative paths in its arguments start from; absent: where Toolkeep has the likes of it start. */
  readonly startsIn?: string;
  /** What a conversation has come in touch with once it has read a result: `untrusted_content`, `secrets` … */
  readonly labels?: readonly string[];
  readonly scope: Scope;
  readonly availability: Availability;
  /** Part of the core floor: granted to every agent, whatever its toolboxes. */
  readonly floor: boolean;
  /** Whether `*` in a toolbox covers it. */
  readonly wildcard: boolean;
  /** For people and for rules: `native`, `platform`, `custom`, `plugin:<plugin>`, `mcp:<server>`. The permission of a tool is `<origin>:<ownName>`. */
  readonly origin: string;
  /** What a tool of our own is about, for lists; absent for those of others. */
  readonly domain?: Domain;
  /** Its `structured` result is passed on whole or, where it is too large to send, not at all. */
  readonly verbatim?: boolean;
  /** It gives what is kept elsewhere already: where its output is cut, no second copy is made. */
  readonly rereads?: boolean;
  /** How long one call may take, before the executor's hard cap of 600 s. */
  readonly timeoutMs: number;
  /** Each progress update gives a call `timeoutMs` again, before the same cap. */
  readonly progressExtendsTimeout?: boolean;
  /** The arguments as people and the audit may see them, whether they fit or not; absent: as they are. */
  readonly shownArguments?: (args: unknown) => unknown;
  /** The hosts that a call with these arguments goes to, for secrets that are bound to some; absent: all that they name. */
  hostsOf?(args: Readonly<Record<string, unknown>>): Iterable<string>;
  /** The URI that a call of it reads, where it stands for a resource; for rules. */
  readonly reads?: string;
  /** Its arguments may name secrets for later, as `{{secret:NAME}}`: it gets the names, never the values. */
  readonly takesSecretNames?: boolean;
  /** Cheap and synchronous: no I/O. */
  status(): ToolStatus;
  /**
   * Runs with arguments that fit `inputSchema`. Only `executor/execute.ts` calls this. Resolves for everything
   * a caller, server or person can cause; a throw is a bug. Stops soon after `context.signal` aborts.
   */
  run(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
  /** Set: a call of it stands for the call that its arguments describe, and `run` is never used. */
  readonly standsFor?: (args: Readonly<Record<string, unknown>>) => Pick<ToolCall, "name" | "arguments">;
  /** As `run`, for a task that it began; its output is the whole answer, in `structured`. */
  followTask?(request: TaskRequest, context: ToolContext): Promise<ToolResult>;
}

/** Something that offers tools. The catalogue knows nothing else about what stands behind it. */
export interface ToolSource {
  readonly name: string;
  /** The tools as of now, in a stable order, from memory. */
  tools(): readonly Tool[];
  /** Calls `listener` after the answer of `tools()` changed; returns the function that stops it. */
  onChange(listener: () => void): () => void;
}

/** The same with something to close. */
export interface ClosableSource extends ToolSource {
  close(): Promise<void>;
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
  /** It stands for this call alone: other calls of the same conversation may be of another client. */
  readonly isExclusive?: boolean;
  /** Resolves with the result object of the method; a rejection tells the tool that there is no answer. */
  answer(inquiry: Inquiry, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * A caller that is asked by the answer to its call, and replies by calling again (2026-07-28). A tool that can
 * work so returns `asks` instead of using `answering`, and keeps nothing between the rounds.
 */
export interface Rounds {
  /** What the caller can be asked, as MCP client capabilities. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** What the caller says to what the round before asked; absent in the first. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** What the tool named so wanted back with the answers, as it gave it; no other gets it. */
  readonly state?: string;
  readonly tool?: string;
  /** `asked.approved` of the round before, which a person approved; counts once. Only whoever sealed it may say so. */
  readonly approved?: string;
  /** `asked.approval` of the round before, which asked whether the call may run. Only whoever sealed it may say so. */
  readonly approval?: string;
}

/** What a tool tells its caller beside its progress, as MCP words it. */
export interface Notice {
  readonly method: "notifications/message" | "notifications/elicitation/complete";
  readonly params: Readonly<Record<string, unknown>>;
}

/** What is heard of a call while it runs. */
export interface Listening {
  /** Tells a server which of its log messages are wanted with this call; absent: none. */
  readonly logLevel?: string;
  readonly onNotice?: (notice: Notice) => void;
}

/** Not to be copied: what it holds may be made only when it is asked for. */
export interface ToolContext extends Listening {
  readonly callId: string;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly progress: (update: Progress) => void;
  /** Absent: nobody can be asked during this call. */
  readonly answering?: Answering;
  readonly rounds?: Rounds;
  /** What came with the call beside its arguments, for whoever runs it. */
  readonly meta?: CallMeta;
  /** Absent: there are no rules. */
  readonly files?: FileRules;
}

/** `_meta` of MCP without what is about one connection: `traceparent`, `baggage`, keys of vendors. */
export type CallMeta = Readonly<Record<string, unknown>>;

/** An error of MCP that a client must see as such, because it acts on its code. */
export interface ProtocolFault {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** What a tool wants to know before it goes on, by the names under which the answers come back. */
export interface InputRequest {
  readonly inquiries: Readonly<Record<string, Inquiry>>;
  /** Comes back with the answers, untouched. */
  readonly state?: string;
  /** For `rounds.approved` of the next round; never set by a tool. */
  readonly approved?: string;
  /** The same for `rounds.approval`. */
  readonly approval?: string;
}

/** Work that goes on after the call that began it (MCP tasks). */
export interface Task {
  /** By which the tool knows it. */
  readonly id: string;
  /** As MCP words it, without the id. */
  readonly state: Readonly<Record<string, unknown>>;
}

/** What is asked about a task that a tool began. */
export interface TaskRequest {
  readonly id: string;
  readonly action: "get" | "update" | "cancel";
  /** Answers to what the task asks, for `update`. */
  readonly answers?: Readonly<Record<string, unknown>>;
}

/** Ids of what a call gave and wrote of what agents leave behind (an agent's: what it says now); labels kept with what it gave. */
export type SharedContent = { readonly [part in "gave" | "wrote" | "labels"]?: readonly string[] };

/** What `run` gives back. Everything but `output` and `failed` ends the call with the outcome of the same name. */
export type ToolResult =
  | {
      readonly kind: "output";
      readonly content: readonly Content[];
      readonly structured?: Readonly<Record<string, unknown>>;
      /** In the place of `structured`, where the result is no object: a list, a text, a number, null. */
      readonly structuredValue?: unknown;
      readonly meta?: Readonly<Record<string, unknown>>;
      readonly shared?: SharedContent;
    }
  | {
      /** The tool ran and says it did not work. `message` tells the model what to do about it. */
      readonly kind: "failed";
      readonly message: string;
      readonly content?: readonly Content[];
      readonly structured?: Readonly<Record<string, unknown>>;
      /** In the place of `structured`, where the result is no object: a list, a text, a number, null. */
      readonly structuredValue?: unknown;
      readonly meta?: Readonly<Record<string, unknown>>;
      readonly fault?: ProtocolFault;
    }
  | {
      readonly kind: "unavailable";
      readonly message: string;
      /** Certain: nothing of the call has left, so an approval of it has not been used. Absent where that is not certain. */
      readonly isUnsent?: true;
    }
  | { readonly kind: "timed_out"; readonly message: string }
  | {
      /** A person (or the parent agent) has been asked; the same call later picks the answer up. */
      readonly kind: "needs_input";
      readonly message: string;
      readonly questionId: string;
    }
  | {
      /** Only where `context.rounds` is there. Ends the call with the outcome `needs_input`. */
      readonly kind: "asks";
      readonly asked: InputRequest;
    }
  | {
      /** It goes on after the call: only for a caller that says it follows tasks. Ends the call with the outcome `ok`. */
      readonly kind: "task";
      readonly task: Task;
    };

/** Every tool that a turn of a model began with, listed or not, by the name that the caller knows: no other is called in it. */
export type Snapshot = ReadonlyMap<string, Tool>;

/** What beside tools can be asked for by a call: it takes the same path. */
export type OfferCallKind = "resource" | "subscription" | "prompt" | "completion" | "task";

/** Who hears of changes of a resource, and until when: longer than the call that begins it. */
export interface Subscription {
  /** Who asked, with what is granted by now; undefined where there is no such agent any more. */
  readonly callerNow: () => Caller | undefined;
  readonly onUpdate: (update: { readonly uri: string; readonly [field: string]: unknown }) => void;
  readonly signal: AbortSignal;
}

export interface ToolCall extends Listening {
  /**
   * Absent: a tool. `name` is then the URI of a resource (to read, or to hear of its changes), the name of a prompt, or either for a completion; for a task
   * that of the tool that began it.
   */
  readonly kind?: OfferCallKind;
  readonly name: string;
  readonly arguments: unknown;
  readonly caller: Caller;
  /** Absent: what there is when the call is made. */
  readonly snapshot?: Snapshot;
  readonly via: "mcp" | "api" | "library";
  /** The span of the caller that this call belongs to, as W3C Trace Context writes it. */
  readonly traceparent?: string;
  /** Passed on to the server of the tool, and to nobody else; whoever takes it from outside bounds it. */
  readonly meta?: CallMeta;
  /** Cancels the call. Whoever listens to it takes the listener away when the call is over. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (update: Progress) => void;
  readonly answering?: Answering;
  readonly rounds?: Rounds;
  /** Of a call of the kind `subscription`. */
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
  /** In the place of `structured`, where the result is no object. */
  readonly structuredValue?: unknown;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Present unless the outcome is `ok`. */
  readonly error?: OutcomeError;
  readonly fault?: ProtocolFault;
  /** What the tool wants to know first; the caller answers by making the call again. */
  readonly asked?: InputRequest;
  /** What goes on; the caller asks for it by calls of the kind `task`. */
  readonly task?: Task;
  readonly durationMs: number;
  readonly truncated: boolean;
  /** The whole text when `truncated`, for `read_tool_output`; absent where it could not be kept. */
  readonly fullOutput?: { readonly id: string; readonly chars: number; readonly bytes: number };
}
