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

/** A request that bypasses the SDK. */
export interface DirectRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly meta?: JsonObject;
  readonly signal: AbortSignal;
  readonly onProgress?: (update: Progress) => void;
  readonly headers?: Readonly<Record<string, string>>;
  /** The request is cancelled by closing its stream (2026-07-28 over HTTP). */
  readonly hasOwnStream?: boolean;
}

/** Replaces an answer that cannot come. */
interface MissingAnswer {
  readonly reason: string;
  readonly data: string;
}

/** Learns what happens to a message after it was handed to the transport. */
interface SendObserver {
  onFailure(error: unknown): void;
  /** No answer can come any more. */
  onMissingAnswer(why: MissingAnswer): void;
}

type SendDirect = (message: JSONRPCMessage, options: SendOptions, observer: SendObserver) => void;

/** The `data` of the two errors that replace an answer; a server's own errors never carry them. */
export const ANSWER_BROKEN_OFF = "toolkeep/broken-off";
export const ANSWER_UNREADABLE = "toolkeep/unreadable";

const UNREADABLE_MESSAGE = "the server sent an answer that cannot be read";
const INTERNAL_ERROR = -32603;
const MAX_ERROR_CHARS = 500;
const MAX_DRAIN_MS = 500;
/** Limits on the server's own requests: unanswered at once, and per second. */
const MAX_OPEN_INCOMING = 64;
const MAX_INCOMING_PER_SECOND = 100;
const CANCELLED = "notifications/cancelled";

/**
 * Wraps a transport so that every request is settled while it lives: if the answer is unreadable, or its stream ended
 * without it, an error takes its place. The SDK would wait for its time limit. Answers to unknown requests are dropped
 * before they cost anything.
 */
export function createSettlingTransport(inner: Transport): SettlingTransport {
  if (inner instanceof StdioTransport) return new SettlingStdio(inner);
  return "pid" in inner && "stderr" in inner ? new SettlingPipe(inner) : new SettlingTransport(inner);
}

export class SettlingTransport implements Transport {
  /** Sends requests over the same transport without the SDK. */
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
  readonly #incoming = new IncomingRequests();
  /** The number of messages that the transport itself could not read. */
  #unreadableCount = 0;
  /** The last error that the transport reported. */
  #lastError = "";

  constructor(inner: Transport) {
    this.inner = inner;
    inner.onclose = () => void this.#handleClose();
    inner.onerror = (error) => {
      if (isUnreadable(error)) this.#unreadableCount++;
      this.#lastError = error.message.slice(0, MAX_ERROR_CHARS);
      // A session of 2024-11-05 ends with its stream, and so do the answers still to come.
      if (error instanceof SseError) void this.close();
      this.onerror?.(error);
    };
    inner.onmessage = (message, extra) => {
      if (this.direct.receive(message)) return;
      const accepted = this.#filterMessage(message);
      if (accepted) this.onmessage?.(accepted, extra);
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
      return this.inner.send(message, options).finally(() => this.#incoming.end(message.id));
    }
    if (!("id" in message)) {
      if (message.method === CANCELLED) this.#forget(message.params?.requestId);
      return this.inner.send(message, options);
    }
    const { id } = message;
    this.#pending.add(Number(id));
    options?.requestSignal?.addEventListener("abort", () => this.#forget(id), { once: true });
    try {
      await this.#sendWatched(message, options, (why) => this.#replaceAnswer(id, why));
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

  protected sendDirect(message: JSONRPCMessage, options: SendOptions, observer: SendObserver): void {
    this.#sendWatched(message, options, (why) => observer.onMissingAnswer(why)).catch((error) =>
      observer.onFailure(error),
    );
  }

  /** Resolves once the outcome of every send is known. */
  protected async waitUntilSent(): Promise<void> {
    await Promise.allSettled(this.#sending);
  }

  /** Calls `onStreamEnd` when the stream for the answer has ended, whether or not the answer came. */
  async #sendWatched(
    message: JSONRPCMessage,
    options: SendOptions,
    onStreamEnd: (why: MissingAnswer) => void,
  ): Promise<void> {
    const unreadableBefore = this.#unreadableCount;
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      if (this.#unreadableCount > unreadableBefore)
        onStreamEnd({ reason: UNREADABLE_MESSAGE, data: ANSWER_UNREADABLE });
      else
        onStreamEnd({
          reason: `the server ended the stream before its answer${this.#takeLastError()}`,
          data: ANSWER_BROKEN_OFF,
        });
    };
    const sending = this.inner.send(message, { ...options, onRequestStreamEnd });
    this.#sending.add(sending);
    try {
      await sending;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      onStreamEnd({ reason: UNREADABLE_MESSAGE, data: ANSWER_UNREADABLE });
    } finally {
      this.#sending.delete(sending);
    }
  }

  #filterMessage<M extends JSONRPCMessage>(message: M): M | undefined {
    if ("method" in message) {
      if ("id" in message) return this.#incoming.admit(message.id) ? message : undefined;
      if (message.method === CANCELLED) this.#incoming.end(message.params?.requestId);
      return message;
    }
    const id = "id" in message ? message.id : undefined;
    if (id === undefined || !this.#pending.has(Number(id))) return undefined;
    if (!isJSONRPCResponse(message)) {
      this.#replaceAnswer(id, describeUnreadable(message));
      return undefined;
    }
    this.#forget(id);
    return message;
  }

  /** Reports failed sends first, because they say more than that the connection has closed. */
  async #handleClose(): Promise<void> {
    if (this.#sending.size > 0 || this.direct.open > 0) {
      await Promise.race([this.waitUntilSent(), delay(MAX_DRAIN_MS, undefined, { ref: false })]);
      await nextTask();
    }
    this.onclose?.();
    this.direct.end();
  }

  /** The transport reports an error right before it ends a stream because of it. */
  #takeLastError(): string {
    const message = this.#lastError;
    this.#lastError = "";
    return message === "" ? "" : `: ${message}`;
  }

  #forget(id: unknown): boolean {
    return this.#pending.delete(Number(id));
  }

  #replaceAnswer(id: RequestId, { reason, data }: MissingAnswer): void {
    if (!this.#forget(id)) return;
    this.onmessage?.({ jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message: reason, data } });
  }
}

/** The SDK recognises a pipe by `pid` and `stderr`. */
class SettlingPipe extends SettlingTransport {
  get pid(): unknown {
    return (this.inner as { pid?: unknown }).pid;
  }

  get stderr(): unknown {
    return (this.inner as { stderr?: unknown }).stderr;
  }
}

/** Our own pipe: sending a message needs no wait. */
class SettlingStdio extends SettlingPipe {
  readonly #stdio: StdioTransport;

  constructor(stdio: StdioTransport) {
    super(stdio);
    this.#stdio = stdio;
  }

  protected override sendDirect(message: JSONRPCMessage, _: SendOptions, observer: SendObserver): void {
    const done = (error?: Error) => {
      if (error) observer.onFailure(error);
    };
    // If nothing else is under way, no other message will follow in the same tick.
    this.#stdio.post(JSON.stringify(message), done, this.direct.open <= 1);
  }

  protected override async waitUntilSent(): Promise<void> {
    await Promise.all([super.waitUntilSent(), this.#stdio.waitUntilWritten()]);
  }
}

/** Limits the server's own requests, because each is answered individually. */
class IncomingRequests {
  readonly #rate = new Rate(MAX_INCOMING_PER_SECOND);
  readonly #open = new Set<unknown>();

  /** Returns false for a request beyond the limit, which is dropped. */
  admit(id: unknown): boolean {
    if (this.#open.size >= MAX_OPEN_INCOMING || !this.#rate.take()) return false;
    this.#open.add(id);
    return true;
  }

  /** Called when the request was answered or cancelled by the server. */
  end(id: unknown): void {
    this.#open.delete(id);
  }
}

/**
 * Sends requests without the SDK, which would check every answer against a schema: for frequent requests whose answers
 * are passed on as they come. Each is settled exactly once, by its answer, a replacement, its signal or the end of the
 * connection. The only time limit is the signal's.
 */
export class DirectRequests {
  readonly #send: SendDirect;
  readonly #pending = new Slots<PendingRequest<unknown>>(FIRST_OWN_ID, LAST_OWN_ID);
  #endError: Error | undefined;

  constructor(send: SendDirect) {
    this.#send = send;
  }

  /** The number of requests under way. */
  get open(): number {
    return this.#pending.count;
  }

  /**
   * Resolves with `toResult(answer)`. Rejects with a ProtocolError if the server answered with an error, and with the
   * transport's own error if that failed.
   */
  send<T>(request: DirectRequest, toResult: (answer: JsonObject) => T): Promise<T> {
    if (this.#endError) return Promise.reject(this.#endError);
    const { signal } = request;
    if (signal.aborted) return Promise.reject(createCancelError(signal));
    const id = this.#pending.newId();
    const message = { method: request.method, params: buildParams(request, id), jsonrpc: "2.0" as const, id };
    const closing = request.hasOwnStream ? new AbortController() : undefined;
    return new Promise<T>((resolve, reject) => {
      const cancel = () => (closing ? closing.abort() : this.#cancel(id, request));
      const settlement = { toResult, resolve, reject, cancel };
      const pending = new PendingRequest(id, this.#pending, request, settlement);
      this.#pending.set(id, pending);
      signal.addEventListener("abort", pending);
      this.#send(message, buildSendOptions(request, closing), pending);
    });
  }

  /** Handles a message that belongs to one of these requests; returns false if it belongs to the SDK. */
  receive(message: JSONRPCMessage): boolean {
    if ("method" in message) return message.method === PROGRESS && this.#progress(message.params);
    const id = Number(message.id);
    if (!this.#pending.covers(id)) return false;
    this.#pending.get(id)?.settle(message);
    return true;
  }

  /** No answer will come any more. */
  end(): void {
    this.#endError = new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed");
    for (const id of this.#pending.ids()) this.#pending.get(id)?.onFailure(this.#endError);
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

  /** A failure to tell the server is ignored: nobody waits any more. */
  #cancel(id: number, { meta, signal }: DirectRequest): void {
    const params = { requestId: id, reason: String(signal.reason), ...(meta ? { _meta: meta } : {}) };
    this.#send({ jsonrpc: "2.0", method: CANCELLED, params }, undefined, NO_OBSERVER);
  }
}

const NO_OBSERVER: SendObserver = { onFailure() {}, onMissingAnswer() {} };

/** How a request is settled for its sender. */
interface RequestSettlement<T> {
  toResult(answer: JsonObject): T;
  resolve(result: T): void;
  reject(error: unknown): void;
  /** Tells the server that nobody waits any more. */
  cancel(): void;
}

/** A request under way. The first event settles it and takes it out of the table. */
class PendingRequest<T> implements SendObserver {
  readonly #id: number;
  readonly #all: Slots<PendingRequest<unknown>>;
  readonly #request: DirectRequest;
  readonly #settlement: RequestSettlement<T>;

  constructor(
    id: number,
    all: Slots<PendingRequest<unknown>>,
    request: DirectRequest,
    settlement: RequestSettlement<T>,
  ) {
    this.#id = id;
    this.#all = all;
    this.#request = request;
    this.#settlement = settlement;
  }

  settle(message: JSONRPCMessage): void {
    if (!this.#take()) return;
    const { jsonrpc, result, error } = message as { jsonrpc?: unknown; result?: unknown; error?: unknown };
    const settlement = this.#settlement;
    if (jsonrpc === "2.0" && error === undefined && isResult(result)) {
      try {
        settlement.resolve(settlement.toResult(result));
      } catch (bug) {
        settlement.reject(bug);
      }
    } else if (jsonrpc === "2.0" && result === undefined && isError(error))
      settlement.reject(new ProtocolError(error.code, error.message, error.data));
    else settlement.reject(toProtocolError(describeUnreadable(message)));
  }

  progress(update: Progress): void {
    this.#request.onProgress?.(update);
  }

  onFailure(error: unknown): void {
    if (this.#take()) this.#settlement.reject(error);
  }

  onMissingAnswer(why: MissingAnswer): void {
    if (this.#take()) this.#settlement.reject(toProtocolError(why));
  }

  /** The signal aborted. Being the listener itself saves a closure per call. */
  handleEvent(): void {
    if (!this.#take()) return;
    this.#settlement.cancel();
    this.#settlement.reject(createCancelError(this.#request.signal));
  }

  #take(): boolean {
    if (this.#all.take(this.#id) === undefined) return false;
    this.#request.signal.removeEventListener("abort", this);
    return true;
  }
}

/** The SDK's transports reject what does not match their schema with ZodError, and broken JSON with SyntaxError. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && (error.name === "ZodError" || error instanceof SyntaxError);
}

function describeUnreadable(message: unknown): MissingAnswer {
  return { reason: `${UNREADABLE_MESSAGE} (${describeShape(message)})`, data: ANSWER_UNREADABLE };
}

/** Names the keys of an unreadable answer, without their content. */
function describeShape(message: unknown): string {
  return isRecord(message)
    ? `with ${Object.keys(message).slice(0, 5).join(", ").slice(0, 100)}`
    : "no object";
}

function toProtocolError({ reason, data }: MissingAnswer): ProtocolError {
  return new ProtocolError(INTERNAL_ERROR, reason, data);
}

function isResult(result: unknown): result is JsonObject {
  return isRecord(result) && (result._meta === undefined || isRecord(result._meta));
}

function isError(error: unknown): error is { code: number; message: string; data?: unknown } {
  return isRecord(error) && Number.isInteger(error.code) && typeof error.message === "string";
}

/** A loop, because object spread makes V8 create a new hidden class each time. */
function buildParams({ params, meta }: DirectRequest, id: number): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const name in params) all[name] = params[name];
  all._meta = meta ? { ...meta, progressToken: id } : { progressToken: id };
  return all;
}

function buildSendOptions({ headers }: DirectRequest, closing: AbortController | undefined): SendOptions {
  if (!headers && !closing) return undefined;
  return { ...(headers ? { headers } : {}), ...(closing ? { requestSignal: closing.signal } : {}) };
}

function createCancelError(signal: AbortSignal): SdkError {
  return new SdkError(SdkErrorCode.RequestTimeout, String(signal.reason));
}
