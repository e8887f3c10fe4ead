import { setTimeout as delay, setImmediate as nextTask } from "node:timers/promises";
import {
  isJSONRPCResponse,
  type JSONRPCMessage,
  type RequestId,
  SseError,
  type Transport,
} from "@modelcontextprotocol/client";
import { Rate } from "../lib/flow/rate.ts";
import {
  BROKEN_OFF,
  CANNOT_BE_READ,
  DirectRequests,
  type Sending,
  shapeOf,
  UNREADABLE,
  type Unanswered,
} from "./direct-requests.ts";
import { StdioTransport } from "./transport/stdio-transport.ts";

type SendOptions = Parameters<Transport["send"]>[1];

const INTERNAL_ERROR = -32603;
const MAX_TROUBLE = 500;
const MAX_LAST_WORDS_MS = 500;
/** Requests of a server that are not answered yet, and all in one second. */
const MAX_OPEN_BACK = 64;
const MAX_BACK_PER_SECOND = 100;
const CANCELLED = "notifications/cancelled";

/**
 * A transport on which every request is answered as long as it lives: where the answer of the server cannot be
 * read, or the stream that should have brought it ended without it, an error takes its place. The SDK would wait
 * for the time limit. Answers to nothing are dropped here, before anything is made of them.
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
  readonly #pending = new Set<number>();
  readonly #sending = new Set<Promise<void>>();
  readonly #requestsBack = new RequestsBack();
  /** How many messages the transport itself could not read. */
  #unreadable = 0;
  /** What it said last went wrong. */
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
      return this.inner.send(message, options).finally(() => this.#requestsBack.over(message.id));
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

  /** Says when the stream that was to bring the answer has ended; whether the answer came is for others to know. */
  async #sendWatched(
    message: JSONRPCMessage,
    options: SendOptions,
    onStreamEnd: (why: Unanswered) => void,
  ): Promise<void> {
    const unreadableBefore = this.#unreadable;
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      if (this.#unreadable > unreadableBefore) onStreamEnd({ reason: CANNOT_BE_READ, data: UNREADABLE });
      else onStreamEnd({ reason: `the server broke off before its answer${this.#why()}`, data: BROKEN_OFF });
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
      if ("id" in message) return this.#requestsBack.take(message.id) ? message : undefined;
      if (message.method === CANCELLED) this.#requestsBack.over(message.params?.requestId);
      return message;
    }
    const id = "id" in message ? message.id : undefined;
    if (id === undefined || !this.#pending.has(Number(id))) return undefined;
    if (!isJSONRPCResponse(message)) {
      this.#unanswered(id, { reason: `${CANNOT_BE_READ} (${shapeOf(message)})`, data: UNREADABLE });
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
  #why(): string {
    const trouble = this.#trouble;
    this.#trouble = "";
    return trouble === "" ? "" : `: ${trouble}`;
  }

  #forget(id: unknown): boolean {
    return this.#pending.delete(Number(id));
  }

  #unanswered(id: RequestId, { reason, data }: Unanswered): void {
    if (!this.#forget(id)) return;
    this.onmessage?.({
      jsonrpc: "2.0",
      id,
      error: { code: INTERNAL_ERROR, message: reason, data },
    });
  }
}

/** What a server asks back is answered one by one, so there is a bound to how much of it is taken. */
class RequestsBack {
  readonly #rate = new Rate(MAX_BACK_PER_SECOND);
  readonly #open = new Set<unknown>();

  /** False for one too many, which is dropped. */
  take(id: unknown): boolean {
    if (this.#open.size >= MAX_OPEN_BACK || !this.#rate.take()) return false;
    this.#open.add(id);
    return true;
  }

  /** It was answered, or the server wants no answer any more. */
  over(id: unknown): void {
    this.#open.delete(id);
  }
}

/** The SDK's transports read with a schema, and say so with its error, or with that of `JSON.parse`. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && (error.name === "ZodError" || error instanceof SyntaxError);
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
