import type { Caller } from "../../contract/caller.ts";
import {
  type Answering,
  type CallMeta,
  type Content,
  type Notice,
  type Progress,
  type Rounds,
  type ToolContext,
  type ToolResult,
  text,
} from "../../contract/tool.ts";
import type { FairQueue } from "../../lib/flow/fair-queue.ts";
import { lightSignalOf } from "../../lib/flow/light-signal.ts";
import { unlessAborted } from "../../lib/flow/unless-aborted.ts";
import { isRecord } from "../../lib/json.ts";
import { err, type Result } from "../../lib/result.ts";
import type { ServerConfig } from "../../machine/config/settings.ts";
import type { AskableCall } from "./inquiries.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** A request to a server, from any caller. */
export interface ServerRequest {
  readonly method:
    | "tools/call"
    | "resources/read"
    | "prompts/get"
    | "completion/complete"
    | "tasks/result"
    | "tasks/get"
    | "tasks/update"
    | "tasks/cancel";
  /** Without what the connection adds: `_meta`, answers to the server's inquiries, its state. */
  readonly params: JsonObject;
  /** The published schema, where the request calls a tool. */
  readonly inputSchema?: unknown;
  /** The caller can follow tasks, so the answer may be a task that has begun. */
  readonly tasks?: boolean;
  /** Turns the final answer into a result. */
  readonly toResult: (answer: JsonObject) => ToolResult;
}

/** A request and the caller that makes it. Reads from the context on demand, because copying it costs time on every call. */
export class ConnectionCall implements ServerRequest, AskableCall {
  readonly method: ServerRequest["method"];
  readonly params: JsonObject;
  readonly inputSchema: unknown;
  readonly toResult: ServerRequest["toResult"];
  /** Aborts with `signal`. May only be checked and listened to. */
  readonly cancellation: AbortSignal;
  readonly caller: Caller;
  readonly onProgress: (update: Progress) => void;
  readonly #context: ToolContext;
  declare readonly tasks?: true;
  declare readonly answering?: Answering;
  declare readonly rounds?: Rounds;
  declare readonly onNotice?: (notice: Notice) => void;
  declare readonly logLevel?: string;
  declare readonly meta?: CallMeta;

  /** `queue` holds the call's place at the server. */
  constructor(request: ServerRequest, context: ToolContext, queue: PausableQueue) {
    this.method = request.method;
    this.params = request.params;
    this.inputSchema = request.inputSchema;
    this.toResult = request.toResult;
    this.cancellation = lightSignalOf(context);
    this.#context = context;
    this.caller = context.caller;
    this.onProgress = context.progress;
    if (request.tasks) this.tasks = true;
    if (context.answering) this.answering = pauseQueueWhileAsking(context.answering, queue);
    if (context.rounds) this.rounds = context.rounds;
    if (context.onNotice) this.onNotice = context.onNotice;
    if (context.logLevel !== undefined) this.logLevel = context.logLevel;
    if (context.meta) this.meta = context.meta;
  }

  /** Node's own signal, created on first access. */
  get signal(): AbortSignal {
    return this.#context.signal;
  }
}

type PausableQueue = Pick<FairQueue, "pause" | "resume">;

/** Frees the call's place while the caller is asked: a caller that does not answer must not block everybody else. */
function pauseQueueWhileAsking(answering: Answering, queue: PausableQueue): Answering {
  let pending = 0;
  return {
    ...answering,
    async answer(inquiry, signal) {
      if (pending++ === 0) queue.pause();
      try {
        return await answering.answer(inquiry, signal);
      } finally {
        if (--pending === 0) queue.resume();
      }
    },
  };
}

/** How a call over a connection ended: with a result, or with the connection. */
export type CallEnd =
  | ToolResult
  | {
      /** The transport failed. `wasSent` is false only if the server certainly never got the call. */
      readonly kind: "lost";
      readonly wasSent: boolean;
      readonly message: string;
    }
  | { readonly kind: "needs_auth"; readonly message: string };

export interface ConnectFailure {
  /** For people. Not redacted: the text may contain anything the server said. */
  readonly message: string;
  /** A person has to sign in; retrying earlier does not help. */
  readonly needsAuth: boolean;
  /** The server is being reconnected, for example at a changed address. A waiting call should ask again. */
  readonly isInterrupted?: true;
}

/** The outcome of an attempt to connect. */
export type OpenResult<C> = Result<C, ConnectFailure>;

interface Sender {
  /** Never rejects. */
  send(call: ConnectionCall): Promise<CallEnd>;
}

export interface DeliveryOptions<C extends Sender> {
  readonly retry: ServerConfig["retry"];
  /** Running the call twice does no harm. */
  readonly isRepeatable: boolean;
  /** Returns the current connection or opens one; never rejects. */
  readonly connection: () => OpenResult<C> | Promise<OpenResult<C>>;
  /** Asked once there is a connection, because opening one may reveal that the tool has changed. */
  readonly refusal: () => string | undefined;
  /** Called with every end, before it is turned into a result. */
  readonly onEnd: (connection: C, end: CallEnd) => void;
}

/**
 * Sends a call. Sends it again over a new connection only if the transport died and `retry` allows it; a call that
 * timed out, was cancelled or was answered with an error is never repeated.
 */
export async function deliver<C extends Sender>(
  call: ConnectionCall,
  options: DeliveryOptions<C>,
  isRepeated = false,
): Promise<ToolResult> {
  const connecting = options.connection();
  const opened =
    connecting instanceof Promise
      ? await openUnlessAborted(options.connection, call.cancellation, connecting)
      : connecting;
  if (!opened.ok) return toUnavailable(opened.error);
  const refusal = options.refusal();
  if (refusal !== undefined) return { kind: "unavailable", message: refusal, isUnsent: true };
  const connection = opened.value;
  const end = await connection.send(call);
  options.onEnd(connection, end);
  if (end.kind !== "lost" || isRepeated || call.cancellation.aborted || !mayRepeat(end.wasSent, options))
    return endToResult(end);
  const again = await deliver(call, options, true);
  return end.wasSent ? markSent(again) : again;
}

/** The first attempt may have reached the server, whatever happened to the second. */
function markSent(result: ToolResult): ToolResult {
  return result.kind === "unavailable" ? { kind: "unavailable", message: result.message } : result;
}

function toUnavailable({ message, needsAuth }: ConnectFailure): ToolResult {
  return { kind: "unavailable", message: needsAuth ? SIGN_IN_NEEDED : message, isUnsent: true };
}

/** Callers are told nothing about tokens and scopes; people see the details elsewhere. */
export const SIGN_IN_NEEDED = "authentication failed";

function endToResult(end: CallEnd): ToolResult {
  switch (end.kind) {
    case "lost":
      return {
        kind: "unavailable",
        message: `the connection was lost during the call: ${end.message}`,
        ...(!end.wasSent && { isUnsent: true }),
      };
    case "needs_auth":
      return { kind: "unavailable", message: SIGN_IN_NEEDED };
    default:
      return end;
  }
}

function mayRepeat<C extends Sender>(wasSent: boolean, { retry, isRepeatable }: DeliveryOptions<C>): boolean {
  return retry === "once" || (retry === "safe" && (!wasSent || isRepeatable));
}

/** How often a waiting call starts over because the server's configuration changed meanwhile. */
const MAX_INTERRUPTIONS = 20;

/** Waits for a connection; if opening it was interrupted, waits for the next one. */
export async function openDespiteChanges<C>(
  open: () => OpenResult<C> | Promise<OpenResult<C>>,
  isGivenUp: () => boolean,
  first: OpenResult<C> | Promise<OpenResult<C>> = open(),
): Promise<OpenResult<C>> {
  let opened = await first;
  for (let count = 0; count < MAX_INTERRUPTIONS; count++) {
    if (opened.ok || !opened.error.isInterrupted || isGivenUp()) break;
    opened = await open();
  }
  return opened;
}

/** Like `openDespiteChanges`, for a call: when the signal aborts, the wait ends but the connecting goes on. */
export async function openUnlessAborted<C>(
  open: () => OpenResult<C> | Promise<OpenResult<C>>,
  signal: AbortSignal,
  first?: Promise<OpenResult<C>>,
): Promise<OpenResult<C>> {
  try {
    return await unlessAborted(
      openDespiteChanges(open, () => signal.aborted, first),
      signal,
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    return err({ message: "the call was cancelled before the server was ready", needsAuth: false });
  }
}

/**
 * Parses a server's answer to `tools/call`. Content, structured content and `_meta` stay as they came, even if they
 * do not match the tool's output schema: the caller decides what to make of them.
 */
export function parseCallResult(answer: Readonly<Record<string, unknown>>): ToolResult {
  const { structuredContent } = answer;
  const extras = {
    ...(isRecord(structuredContent) ? { structured: structuredContent } : {}),
    ...(isBareValue(structuredContent) ? { structuredValue: structuredContent } : {}),
    ...(isRecord(answer._meta) ? { meta: answer._meta } : {}),
  };
  const content = readContent(answer);
  return answer.isError === true
    ? { kind: "failed", message: joinErrorText(content), content, ...extras }
    : { kind: "output", content, ...extras };
}

function readContent(answer: Readonly<Record<string, unknown>>): Content[] {
  const blocks = Array.isArray(answer.content) ? answer.content.filter(isContent) : [];
  const { structuredContent, toolResult } = answer;
  // Some clients reject structured results that are not objects, and models read only text: add it as text.
  if (isBareValue(structuredContent) && !blocks.some(({ type }) => type === "text"))
    return [...blocks, toText(structuredContent)];
  // Servers of 2024 answered with a bare `toolResult`.
  return blocks.length > 0 || toolResult === undefined ? blocks : [toText(toolResult)];
}

function toText(value: unknown): Content {
  return text(typeof value === "string" ? value : JSON.stringify(value));
}

/** Since 2026-07-28 structured content may be any JSON value. */
function isBareValue(structuredContent: unknown): boolean {
  return structuredContent !== undefined && !isRecord(structuredContent);
}

function isContent(block: unknown): block is Content {
  return isRecord(block) && typeof block.type === "string";
}

function joinErrorText(content: readonly Content[]): string {
  const lines = content.flatMap((block) => (typeof block.text === "string" ? [block.text] : []));
  return lines.join("\n").trim() || "the tool reported an error without a message";
}
