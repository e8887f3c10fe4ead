import {
  type JSONRPCMessage,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Progress } from "../contract/tool.ts";
import { Slots } from "../lib/flow/slots.ts";
import type { Stop } from "../lib/flow/stop.ts";
import { isRecord } from "../lib/json.ts";

type SendOptions = NonNullable<Parameters<Transport["send"]>[1]>;
type JsonObject = Readonly<Record<string, unknown>>;

/** A request, and who hears of it while it is under way. */
export interface DirectRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly meta?: JsonObject;
  readonly stop: Stop;
  readonly onProgress?: (update: Progress) => void;
  readonly headers?: Readonly<Record<string, string>>;
  /** Closing the stream of this request is how it is cancelled (2026-07-28 over HTTP). */
  readonly ownStream?: boolean;
}

/** What stands in the place of an answer that cannot come. */
export interface Unanswered {
  readonly reason: string;
  readonly data: string;
}

/** What becomes of a message once it is on its way. */
export interface Sending {
  failed(error: unknown): void;
  /** No answer can come any more, and why. */
  unanswered(why: Unanswered): void;
}

/** How requests leave. */
export type SendDirect = (
  message: JSONRPCMessage,
  options: SendOptions | undefined,
  sending: Sending,
) => void;

/**
 * The SDK counts its ids up from 0 and never gets this far. They are numbers because some servers know no others, and
 * small enough for the 32 bits that some give them.
 */
const FIRST_ID = 2 ** 30;
const LAST_ID = 2 ** 31 - 1;
const INTERNAL_ERROR = -32603;
const PROGRESS = "notifications/progress";

/**
 * Requests that go past the SDK, which would check every answer against a schema: for those of which there are many,
 * and whose answers are passed on as they come. Each is settled exactly once, by its answer, by what takes the place
 * of one, by its stop or by the end of the connection. There is no time limit but that of the stop.
 */
export class DirectRequests {
  readonly #send: SendDirect;
  readonly #pending = new Slots<Pending<unknown>>(FIRST_ID, LAST_ID);
  #ended: Error | undefined;

  constructor(send: SendDirect) {
    this.#send = send;
  }

  /** How many are under way. */
  get open(): number {
    return this.#pending.count;
  }

  /**
   * What `resultOf` makes of the answer. Rejects with a ProtocolError for an error of the server, with the transport's own
   * error where that failed.
   */
  send<T>(request: DirectRequest, resultOf: (answer: JsonObject) => T): Promise<T> {
    if (this.#ended) return Promise.reject(this.#ended);
    const { stop, ownStream } = request;
    if (stop.aborted) return Promise.reject(cancelled(stop));
    const id = this.#pending.newId();
    const params = withProgress(request, id);
    const message = { method: request.method, params, jsonrpc: "2.0" as const, id };
    const closing = ownStream ? new AbortController() : undefined;
    return new Promise<T>((resolve, reject) => {
      const forget = stop.onAbort(() => {
        if (!this.#pending.take(id)) return;
        if (closing) closing.abort();
        else this.#cancel(id, request);
        reject(cancelled(stop));
      });
      const end = { resultOf, resolve, reject, forget };
      const pending = new Pending(id, this.#pending, request.onProgress, end);
      this.#pending.set(id, pending);
      this.#send(message, sendOptions(request, closing), pending);
    });
  }

  /** Takes what is meant for a request of these; false for everything that is the SDK's. */
  receive(message: JSONRPCMessage): boolean {
    if ("method" in message) return message.method === PROGRESS && this.#progress(message.params);
    const id = Number(message.id);
    if (!isOwn(id)) return false;
    this.#pending.get(id)?.answered(message);
    return true;
  }

  /** No answer will come any more. */
  end(): void {
    this.#ended = new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed");
    for (const id of this.#pending.ids()) this.#pending.get(id)?.failed(this.#ended);
  }

  #progress(params: unknown): boolean {
    if (!isRecord(params) || !isOwn(Number(params.progressToken))) return false;
    const { progress, total, message } = params;
    if (typeof progress !== "number") return true;
    this.#pending.get(Number(params.progressToken))?.onProgress?.({
      progress,
      ...(typeof total === "number" ? { total } : {}),
      ...(typeof message === "string" ? { message } : {}),
    });
    return true;
  }

  /** Whether the server hears of it makes no difference any more. */
  #cancel(id: number, { meta, stop }: DirectRequest): void {
    const params = { requestId: id, reason: String(stop.reason), ...(meta ? { _meta: meta } : {}) };
    this.#send({ jsonrpc: "2.0", method: "notifications/cancelled", params }, undefined, NOBODY);
  }
}

const NOBODY: Sending = { failed() {}, unanswered() {} };

/** How a request ends for whoever made it. */
interface End<T> {
  resultOf(answer: JsonObject): T;
  resolve(result: T): void;
  reject(error: unknown): void;
  /** Takes back what its stop would do. */
  forget(): void;
}

/** A request under way. Whatever becomes of it first counts, and takes it out of all that are. */
class Pending<T> implements Sending {
  readonly onProgress: DirectRequest["onProgress"];
  readonly #id: number;
  readonly #all: Slots<Pending<unknown>>;
  readonly #end: End<T>;

  constructor(
    id: number,
    all: Slots<Pending<unknown>>,
    onProgress: DirectRequest["onProgress"],
    end: End<T>,
  ) {
    this.#id = id;
    this.#all = all;
    this.onProgress = onProgress;
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
    else end.reject(new ProtocolError(INTERNAL_ERROR, `${CANNOT_BE_READ} (${shapeOf(message)})`, UNREADABLE));
  }

  failed(error: unknown): void {
    if (this.#take()) this.#end.reject(error);
  }

  unanswered({ reason, data }: Unanswered): void {
    if (this.#take()) this.#end.reject(new ProtocolError(INTERNAL_ERROR, reason, data));
  }

  #take(): boolean {
    if (this.#all.take(this.#id) === undefined) return false;
    this.#end.forget();
    return true;
  }
}

/** True for the progress of a request that did not go through the SDK. */
export function isDirectProgress(message: JSONRPCMessage): boolean {
  if (!("method" in message) || message.method !== PROGRESS) return false;
  return isRecord(message.params) && isOwn(Number(message.params.progressToken));
}

/** How the two kinds of error that take the place of an answer are told from one of the server. */
export const BROKEN_OFF = "toolkeep/broken-off";
export const UNREADABLE = "toolkeep/unreadable";
export const CANNOT_BE_READ = "the server sent an answer that cannot be read";

function isResult(result: unknown): result is JsonObject {
  return isRecord(result) && (result._meta === undefined || isRecord(result._meta));
}

function isError(error: unknown): error is { code: number; message: string; data?: unknown } {
  return isRecord(error) && Number.isInteger(error.code) && typeof error.message === "string";
}

/** Not with `{...}`, for which V8 makes a new shape of object each time. */
function withProgress({ params, meta }: DirectRequest, id: number): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const name in params) all[name] = params[name];
  all._meta = meta ? { ...meta, progressToken: id } : { progressToken: id };
  return all;
}

function isOwn(id: number): boolean {
  return id >= FIRST_ID && id <= LAST_ID;
}

function sendOptions(
  { headers }: DirectRequest,
  closing: AbortController | undefined,
): SendOptions | undefined {
  if (!headers && !closing) return undefined;
  return { ...(headers ? { headers } : {}), ...(closing ? { requestSignal: closing.signal } : {}) };
}

function cancelled(stop: Stop): SdkError {
  return new SdkError(SdkErrorCode.RequestTimeout, String(stop.reason));
}

/** What an unreadable answer holds, without its content. */
export function shapeOf(message: unknown): string {
  return isRecord(message)
    ? `with ${Object.keys(message).slice(0, 5).join(", ").slice(0, 100)}`
    : "no object";
}
