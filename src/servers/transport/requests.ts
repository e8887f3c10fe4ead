import { setTimeout as delay, setImmediate as nextTask } from "node:timers/promises";
import {
  isJSONRPCResponse,
  type JSONRPCMessage,
  ProtocolError,
  type RequestId,
  SdkError,
  SdkErrorCode,
  SseError,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Progress } from "../../contract/tool.ts";
import { Rate } from "../../lib/flow/rate.ts";
import { Slots } from "../../lib/flow/slots.ts";
import { isRecord } from "../../lib/json.ts";
import { FIRST_OWN_ID, LAST_OWN_ID, PROGRESS, StdioTransport } from "./stdio-transport.ts";

type SendOptions = Parameters<Transport["send"]>[1];
type JsonObject = Readonly<Record<string, unknown>>;

/** A request that does not go through the SDK. */
export interface DirectRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly meta?: JsonObject;
  readonly signal: AbortSignal;
  readonly onProgress?: (update: Progress) => void;
  readonly headers?: Readonly<Record<string, string>>;
  /** Closing the stream of this request is how it is cancelled (2026-07-28 over HTTP). */
  readonly ownStream?: boolean;
}

/** Stands in the place of an answer that cannot come. */
interface Unanswered {
  readonly reason: string;
  readonly data: string;
}

/** Told what becomes of a message once it is on its way. */
interface Sending {
  failed(error: unknown): void;
  /** No answer can come any more. */
  unanswered(why: Unanswered): void;
}

type SendDirect = (message: JSONRPCMessage, options: SendOptions, sending: Sending) => void;

/** The `data` of the two kinds of error that take the place of an answer; an error of the server has neither. */
export const BROKEN_OFF = "toolkeep/broken-off";
export const UNREADABLE = "toolkeep/unreadable";

const CANNOT_BE_READ = "the server sent an answer that cannot be read";
const INTERNAL_ERROR = -32603;
const MAX_TROUBLE = 500;
const MAX_LAST_WORDS_MS = 500;
/** Requests of a server that are not answered yet, and all in one second. */
const MAX_OPEN_BACK = 64;
const MAX_BACK_PER_SECOND = 100;
const CANCELLED = "notifications/cancelled";

/**
 * A transport on which every request is settled as long as it lives: where the answer of the server cannot be read, or
 * the stream that should have brought it ended without it, an error takes its place. The SDK would wait for the time
 * limit. Answers to nothing are dropped here, before anything is made of them.
 */
export function settling(inner: Transport): SettlingTransport {
  if (inner instanceof StdioTransport) return new SettlingStdio(inner);
  return "pid" in inner && "stderr" in inner ? new SettlingPipe(inner) : new SettlingTransport(inner);
}

export class SettlingTransport implements Transport {
  /** Requests over the same transport that the SDK does not see. */
  readonly direct = new DirectRequests((message, options, sending) =>
    this.sendDirect(message, options, sending),
  );
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];

  protected readonly inner: Transport;
  /** Ids of the SDK's requests. */
  readonly #pending = new Set<number>();
  readonly #sending = new Set<Promise<void>>();
  readonly #requestsBack = new RequestsBack();
  /** How many messages the transport itself could not read. */
  #unreadable = 0;
  /** The last trouble that the transport told of. */
  #trouble = "";

  constructor(inner: Transport) {
    this.inner = inner;
    inner.onclose = () => void this.#closed();
    inner.onerror = (error) => {
      if (isUnreadable(error)) this.#unreadable++;
      this.#trouble = error.message.slice(0, MAX_TROUBLE);
      // The session of 2024-11-05 ends with its stream, and the answers that were to come with it.
      if (error instanceof SseError) void this.close();
      this.onerror?.(error);
    };
    inner.onmessage = (message, extra) => {
      if (this.direct.receive(message)) return;
      const readable = this.#readable(message);
      if (readable) this.onmessage?.(readable, extra);
    };
  }

  get hasPerRequestStream(): boolean {
    return this.inner.hasPerRequestStream === true;
  }

  get sessionId(): string | undefined {
    return this.inner.sessionId;
  }

  start(): Promise<void> {
    return this.inner.start();
  }

  async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if (!("method" in message)) {
      return this.inner.send(message, options).finally(() => this.#requestsBack.end(message.id));
    }
    if (!("id" in message)) {
      if (message.method === CANCELLED) this.#forget(message.params?.requestId);
      return this.inner.send(message, options);
    }
    const { id } = message;
    this.#pending.add(Number(id));
    options?.requestSignal?.addEventListener("abort", () => this.#forget(id), { once: true });
    try {
      await this.#sendWatched(message, options, (why) => this.#unanswered(id, why));
    } catch (error) {
      this.#forget(id);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  setProtocolVersion(version: string): void {
    this.inner.setProtocolVersion?.(version);
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.inner.setSupportedProtocolVersions?.(versions);
  }

  protected sendDirect(message: JSONRPCMessage, options: SendOptions, sending: Sending): void {
    this.#sendWatched(message, options, (why) => sending.unanswered(why)).catch((error) =>
      sending.failed(error),
    );
  }

  /** Until nothing is left that could still be told whether it was sent. */
  protected async sent(): Promise<void> {
    await Promise.allSettled(this.#sending);
  }

  /** Calls `onStreamEnd` when the stream that was to bring the answer has ended, whether or not the answer came. */
  async #sendWatched(
    message: JSONRPCMessage,
    options: SendOptions,
    onStreamEnd: (why: Unanswered) => void,
  ): Promise<void> {
    const unreadableBefore = this.#unreadable;
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      if (this.#unreadable > unreadableBefore) onStreamEnd({ reason: CANNOT_BE_READ, data: UNREADABLE });
      else
        onStreamEnd({
          reason: `the server broke off before its answer${this.#takeTrouble()}`,
          data: BROKEN_OFF,
        });
    };
    const sending = this.inner.send(message, { ...options, onRequestStreamEnd });
    this.#sending.add(sending);
    try {
      await sending;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      onStreamEnd({ reason: CANNOT_BE_READ, data: UNREADABLE });
    } finally {
      this.#sending.delete(sending);
    }
  }

  #readable<M extends JSONRPCMessage>(message: M): M | undefined {
    if ("method" in message) {
      if ("id" in message) return this.#requestsBack.admit(message.id) ? message : undefined;
      if (message.method === CANCELLED) this.#requestsBack.end(message.params?.requestId);
      return message;
    }
    const id = "id" in message ? message.id : undefined;
    if (id === undefined || !this.#pending.has(Number(id))) return undefined;
    if (!isJSONRPCResponse(message)) {
      this.#unanswered(id, unreadable(message));
      return undefined;
    }
    this.#forget(id);
    return message;
  }

  /** A message that could not be sent is told so first: that says more than that the connection is gone. */
  async #closed(): Promise<void> {
    if (this.#sending.size > 0 || this.direct.open > 0) {
      await Promise.race([this.sent(), delay(MAX_LAST_WORDS_MS, undefined, { ref: false })]);
      await nextTask();
    }
    this.onclose?.();
    this.direct.end();
  }

  /** The transport tells of trouble right before it ends a stream for it. */
  #takeTrouble(): string {
    const trouble = this.#trouble;
    this.#trouble = "";
    return trouble === "" ? "" : `: ${trouble}`;
  }

  #forget(id: unknown): boolean {
    return this.#pending.delete(Number(id));
  }

  #unanswered(id: RequestId, { reason, data }: Unanswered): void {
    if (!this.#forget(id)) return;
    this.onmessage?.({ jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message: reason, data } });
  }
}

/** The SDK tells a pipe from HTTP by `pid` and `stderr`. */
class SettlingPipe extends SettlingTransport {
  get pid(): unknown {
    return (this.inner as { pid?: unknown }).pid;
  }

  get stderr(): unknown {
    return (this.inner as { stderr?: unknown }).stderr;
  }
}

/** A pipe of ours: nothing has to be waited for with each message. */
class SettlingStdio extends SettlingPipe {
  readonly #stdio: StdioTransport;

  constructor(stdio: StdioTransport) {
    super(stdio);
    this.#stdio = stdio;
  }

  protected override sendDirect(message: JSONRPCMessage, _: SendOptions, sending: Sending): void {
    const done = (error?: Error) => {
      if (error) sending.failed(error);
    };
    // As long as nothing else is under way, nothing else comes in the same turn either.
    this.#stdio.post(JSON.stringify(message), done, this.direct.open <= 1);
  }

  protected override async sent(): Promise<void> {
    await Promise.all([super.sent(), this.#stdio.written()]);
  }
}

/** Requests of the server are answered one by one, so there is a bound to how many are taken. */
class RequestsBack {
  readonly #rate = new Rate(MAX_BACK_PER_SECOND);
  readonly #open = new Set<unknown>();

  /** False for one too many, which is dropped. */
  admit(id: unknown): boolean {
    if (this.#open.size >= MAX_OPEN_BACK || !this.#rate.take()) return false;
    this.#open.add(id);
    return true;
  }

  /** It was answered, or the server wants no answer any more. */
  end(id: unknown): void {
    this.#open.delete(id);
  }
}

/**
 * Requests that go past the SDK, which would check every answer against a schema: for those of which there are many,
 * and whose answers are passed on as they come. Each is settled exactly once, by its answer, by what takes the place
 * of one, by its signal or by the end of the connection. There is no time limit but that of the signal.
 */
export class DirectRequests {
  readonly #send: SendDirect;
  readonly #pending = new Slots<Pending<unknown>>(FIRST_OWN_ID, LAST_OWN_ID);
  #ended: Error | undefined;

  constructor(send: SendDirect) {
    this.#send = send;
  }

  /** How many are under way. */
  get open(): number {
    return this.#pending.count;
  }

  /**
   * Resolves with what `resultOf` makes of the answer. Rejects with a ProtocolError for an error of the server, with the
   * transport's own error where that failed.
   */
  send<T>(request: DirectRequest, resultOf: (answer: JsonObject) => T): Promise<T> {
    if (this.#ended) return Promise.reject(this.#ended);
    const { signal } = request;
    if (signal.aborted) return Promise.reject(cancelled(signal));
    const id = this.#pending.newId();
    const message = { method: request.method, params: paramsOf(request, id), jsonrpc: "2.0" as const, id };
    const closing = request.ownStream ? new AbortController() : undefined;
    return new Promise<T>((resolve, reject) => {
      const cancel = () => (closing ? closing.abort() : this.#cancel(id, request));
      const end = { resultOf, resolve, reject, cancel };
      const pending = new Pending(id, this.#pending, request, end);
      this.#pending.set(id, pending);
      signal.addEventListener("abort", pending);
      this.#send(message, sendOptions(request, closing), pending);
    });
  }

  /** Takes what is meant for a request of these; false for everything that is the SDK's. */
  receive(message: JSONRPCMessage): boolean {
    if ("method" in message) return message.method === PROGRESS && this.#progress(message.params);
    const id = Number(message.id);
    if (!this.#pending.covers(id)) return false;
    this.#pending.get(id)?.answered(message);
    return true;
  }

  /** No answer will come any more. */
  end(): void {
    this.#ended = new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed");
    for (const id of this.#pending.ids()) this.#pending.get(id)?.failed(this.#ended);
  }

  #progress(params: unknown): boolean {
    if (!isRecord(params) || !this.#pending.covers(Number(params.progressToken))) return false;
    const { progress, total, message } = params;
    if (typeof progress !== "number") return true;
    this.#pending.get(Number(params.progressToken))?.progress({
      progress,
      ...(typeof total === "number" ? { total } : {}),
      ...(typeof message === "string" ? { message } : {}),
    });
    return true;
  }

  /** Whether the server hears of it makes no difference any more. */
  #cancel(id: number, { meta, signal }: DirectRequest): void {
    const params = { requestId: id, reason: String(signal.reason), ...(meta ? { _meta: meta } : {}) };
    this.#send({ jsonrpc: "2.0", method: CANCELLED, params }, undefined, NOBODY);
  }
}

const NOBODY: Sending = { failed() {}, unanswered() {} };

/** How a request ends for its maker. */
interface End<T> {
  resultOf(answer: JsonObject): T;
  resolve(result: T): void;
  reject(error: unknown): void;
  /** Tells the server that nobody waits any more. */
  cancel(): void;
}

/** A request under way. Whatever becomes of it first counts, and takes it out of the table. */
class Pending<T> implements Sending {
  readonly #id: number;
  readonly #all: Slots<Pending<unknown>>;
  readonly #request: DirectRequest;
  readonly #end: End<T>;

  constructor(id: number, all: Slots<Pending<unknown>>, request: DirectRequest, end: End<T>) {
    this.#id = id;
    this.#all = all;
    this.#request = request;
    this.#end = end;
  }

  answered(message: JSONRPCMessage): void {
    if (!this.#take()) return;
    const { jsonrpc, result, error } = message as { jsonrpc?: unknown; result?: unknown; error?: unknown };
    const end = this.#end;
    if (jsonrpc === "2.0" && error === undefined && isResult(result)) {
      try {
        end.resolve(end.resultOf(result));
      } catch (bug) {
        end.reject(bug);
      }
    } else if (jsonrpc === "2.0" && result === undefined && isError(error))
      end.reject(new ProtocolError(error.code, error.message, error.data));
    else end.reject(protocolError(unreadable(message)));
  }

  progress(update: Progress): void {
    this.#request.onProgress?.(update);
  }

  failed(error: unknown): void {
    if (this.#take()) this.#end.reject(error);
  }

  unanswered(why: Unanswered): void {
    if (this.#take()) this.#end.reject(protocolError(why));
  }

  /** Its signal aborts. Listening as an object spares a closure for each call. */
  handleEvent(): void {
    if (!this.#take()) return;
    this.#end.cancel();
    this.#end.reject(cancelled(this.#request.signal));
  }

  #take(): boolean {
    if (this.#all.take(this.#id) === undefined) return false;
    this.#request.signal.removeEventListener("abort", this);
    return true;
  }
}

/** The SDK's transports read with a schema, and say so with its error, or with that of `JSON.parse`. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && (error.name === "ZodError" || error instanceof SyntaxError);
}

function unreadable(message: unknown): Unanswered {
  return { reason: `${CANNOT_BE_READ} (${shapeOf(message)})`, data: UNREADABLE };
}

/** Names the keys of an unreadable answer, without their content. */
function shapeOf(message: unknown): string {
  return isRecord(message)
    ? `with ${Object.keys(message).slice(0, 5).join(", ").slice(0, 100)}`
    : "no object";
}

function protocolError({ reason, data }: Unanswered): ProtocolError {
  return new ProtocolError(INTERNAL_ERROR, reason, data);
}

function isResult(result: unknown): result is JsonObject {
  return isRecord(result) && (result._meta === undefined || isRecord(result._meta));
}

function isError(error: unknown): error is { code: number; message: string; data?: unknown } {
  return isRecord(error) && Number.isInteger(error.code) && typeof error.message === "string";
}

/** Not with `{...}`, for which V8 makes a new shape of object each time. */
function paramsOf({ params, meta }: DirectRequest, id: number): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const name in params) all[name] = params[name];
  all._meta = meta ? { ...meta, progressToken: id } : { progressToken: id };
  return all;
}

function sendOptions({ headers }: DirectRequest, closing: AbortController | undefined): SendOptions {
  if (!headers && !closing) return undefined;
  return { ...(headers ? { headers } : {}), ...(closing ? { requestSignal: closing.signal } : {}) };
}

function cancelled(signal: AbortSignal): SdkError {
  return new SdkError(SdkErrorCode.RequestTimeout, String(signal.reason));
}
