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
import type { InquiredCall } from "./inquiries.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** A request to a server, whoever makes it. */
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
  /** Without what a connection adds: `_meta`, answers to what the server asked back, its state. */
  readonly params: JsonObject;
  /** Of a tool, as published. */
  readonly inputSchema?: unknown;
  /** The caller follows tasks: the answer may be that one has begun. */
  readonly tasks?: boolean;
  /** Makes a result of the final answer. */
  readonly resultOf: (answer: JsonObject) => ToolResult;
}

/** A request with who makes it. Nothing of either is copied that is not needed at once. */
export class ConnectionCall implements ServerRequest, InquiredCall {
  readonly method: ServerRequest["method"];
  readonly params: JsonObject;
  readonly inputSchema: unknown;
  readonly resultOf: ServerRequest["resultOf"];
  /** Aborts with `signal`; only to be asked and listened to. */
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

  /** `queue`: where the call has its turn. */
  constructor(request: ServerRequest, context: ToolContext, queue: Turns) {
    this.method = request.method;
    this.params = request.params;
    this.inputSchema = request.inputSchema;
    this.resultOf = request.resultOf;
    this.cancellation = lightSignalOf(context);
    this.#context = context;
    this.caller = context.caller;
    this.onProgress = context.progress;
    if (request.tasks) this.tasks = true;
    if (context.answering) this.answering = withoutTurn(context.answering, queue);
    if (context.rounds) this.rounds = context.rounds;
    if (context.onNotice) this.onNotice = context.onNotice;
    if (context.logLevel !== undefined) this.logLevel = context.logLevel;
    if (context.meta) this.meta = context.meta;
  }

  /** A signal of Node, made when it is asked for. */
  get signal(): AbortSignal {
    return this.#context.signal;
  }
}

type Turns = Pick<FairQueue, "pause" | "resume">;

/** A caller that does not answer must not keep the server from everybody else. */
function withoutTurn(answering: Answering, queue: Turns): Answering {
  let asked = 0;
  return {
    ...answering,
    async answer(inquiry, signal) {
      if (asked++ === 0) queue.pause();
      try {
        return await answering.answer(inquiry, signal);
      } finally {
        if (--asked === 0) queue.resume();
      }
    },
  };
}

/** How a call over a connection ended: with a result, or with the connection. */
export type CallEnd =
  | ToolResult
  | {
      /** The transport failed. `sent` is false only where the server certainly never got the call. */
      readonly kind: "lost";
      readonly sent: boolean;
      readonly message: string;
    }
  | { readonly kind: "needs_auth"; readonly message: string };

export interface ConnectFailure {
  /** For people. Not redacted: a server may say anything. */
  readonly message: string;
  /** A person has to sign in; trying again helps nothing before. */
  readonly needsAuth: boolean;
  /** The server is to be reached anew, such as under a changed address: a call that still waits asks once more. */
  readonly isInterrupted?: true;
}

/** The outcome of an attempt to connect. */
export type Opened<C> = Result<C, ConnectFailure>;

interface Sender {
  /** Never rejects. */
  send(call: ConnectionCall): Promise<CallEnd>;
}

export interface Delivery<C extends Sender> {
  readonly retry: ServerConfig["retry"];
  /** Running the call twice does no harm. */
  readonly repeatable: boolean;
  /** The connection to use, opened where there is none; never rejects. */
  readonly connection: () => Opened<C> | Promise<Opened<C>>;
  /** Asked when there is a connection: opening one may show that the tool has changed. */
  readonly refusal: () => string | undefined;
  /** Told of every end before anything else is made of it. */
  readonly onEnd: (connection: C, end: CallEnd) => void;
}

/**
 * Sends a call; a second time, over a new connection, only where the transport died and `retry` allows it. A call
 * that timed out, was cancelled or was answered with an error is never sent again.
 */
export async function deliver<C extends Sender>(
  call: ConnectionCall,
  how: Delivery<C>,
  isRepeated = false,
): Promise<ToolResult> {
  const ready = how.connection();
  const opened =
    ready instanceof Promise ? await openedUnlessAborted(how.connection, call.cancellation, ready) : ready;
  if (!opened.ok) return notOpened(opened.error);
  const refusal = how.refusal();
  if (refusal !== undefined) return { kind: "unavailable", message: refusal, isUnsent: true };
  const connection = opened.value;
  const end = await connection.send(call);
  how.onEnd(connection, end);
  if (end.kind !== "lost" || isRepeated || call.cancellation.aborted || !mayRepeat(end.sent, how))
    return resultOf(end);
  const again = await deliver(call, how, true);
  return end.sent ? asSent(again) : again;
}

/** The first time it may have arrived, whatever became of the second. */
function asSent(result: ToolResult): ToolResult {
  return result.kind === "unavailable" ? { kind: "unavailable", message: result.message } : result;
}

function notOpened({ message, needsAuth }: ConnectFailure): ToolResult {
  return { kind: "unavailable", message: needsAuth ? SIGN_IN_NEEDED : message, isUnsent: true };
}

/** A caller learns nothing about tokens and scopes; people see those elsewhere. */
export const SIGN_IN_NEEDED = "authentication failed";

function resultOf(end: CallEnd): ToolResult {
  switch (end.kind) {
    case "lost":
      return {
        kind: "unavailable",
        message: `the connection was lost during the call: ${end.message}`,
        ...(!end.sent && { isUnsent: true }),
      };
    case "needs_auth":
      return { kind: "unavailable", message: SIGN_IN_NEEDED };
    default:
      return end;
  }
}

function mayRepeat<C extends Sender>(sent: boolean, { retry, repeatable }: Delivery<C>): boolean {
  return retry === "once" || (retry === "safe" && (!sent || repeatable));
}

/** How often somebody who waits for a connection begins to wait again because the server is changed meanwhile. */
const MAX_INTERRUPTIONS = 20;

/** Waits for a connection, and for the next one where opening it was interrupted. */
export async function openedDespiteChanges<C>(
  open: () => Opened<C> | Promise<Opened<C>>,
  isGivenUp: () => boolean,
  first: Opened<C> | Promise<Opened<C>> = open(),
): Promise<Opened<C>> {
  let opened = await first;
  for (let count = 0; count < MAX_INTERRUPTIONS; count++) {
    if (opened.ok || !opened.error.isInterrupted || isGivenUp()) break;
    opened = await open();
  }
  return opened;
}

/** The same for a call. When the signal aborts it gives up waiting, not the work. */
export async function openedUnlessAborted<C>(
  open: () => Opened<C> | Promise<Opened<C>>,
  signal: AbortSignal,
  first?: Promise<Opened<C>>,
): Promise<Opened<C>> {
  try {
    return await unlessAborted(
      openedDespiteChanges(open, () => signal.aborted, first),
      signal,
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    return err({ message: "the call was given up before the server was ready", needsAuth: false });
  }
}

/**
 * The answer of a server to `tools/call` as a result. Content, structured content and `_meta` are kept as they
 * came, also where they do not match the tool's own output schema: the caller decides what to make of them.
 */
export function callResult(answer: Readonly<Record<string, unknown>>): ToolResult {
  const { structuredContent } = answer;
  const kept = {
    ...(isRecord(structuredContent) ? { structured: structuredContent } : {}),
    ...(isValue(structuredContent) ? { structuredValue: structuredContent } : {}),
    ...(isRecord(answer._meta) ? { meta: answer._meta } : {}),
  };
  const content = contentOf(answer);
  return answer.isError === true
    ? { kind: "failed", message: errorText(content), content, ...kept }
    : { kind: "output", content, ...kept };
}

function contentOf(answer: Readonly<Record<string, unknown>>): Content[] {
  const blocks = Array.isArray(answer.content) ? answer.content.filter(isContent) : [];
  const { structuredContent, toolResult } = answer;
  // Not every client takes a structured result that is no object, and no model reads one: it is there as text too.
  if (isValue(structuredContent) && !blocks.some(({ type }) => type === "text"))
    return [...blocks, textFor(structuredContent)];
  // Servers of 2024 answered with a bare `toolResult`.
  return blocks.length > 0 || toolResult === undefined ? blocks : [textFor(toolResult)];
}

function textFor(value: unknown): Content {
  return text(typeof value === "string" ? value : JSON.stringify(value));
}

/** Servers from 2026-07-28 on may structure any JSON value. */
function isValue(structuredContent: unknown): boolean {
  return structuredContent !== undefined && !isRecord(structuredContent);
}

function isContent(block: unknown): block is Content {
  return isRecord(block) && typeof block.type === "string";
}

function errorText(content: readonly Content[]): string {
  const lines = content.flatMap((block) => (typeof block.text === "string" ? [block.text] : []));
  return lines.join("\n").trim() || "the tool reported an error and said nothing about it";
}
