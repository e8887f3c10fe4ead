import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../contract/errors.ts";
import { parseExact } from "../../../lib/exact-json.ts";
import { isRecord } from "../../../lib/json.ts";
import { textLines } from "../../../lib/lines.ts";
import type { Log } from "../../../lib/log.ts";
import { RPC } from "../messages.ts";
import { DaemonLink, isInitialize, isModern, type LinkTarget, type Message, Refused } from "./daemon-link.ts";

const MAX_IN_FLIGHT = 64;
/** Requests that wait for room. Reading goes on meanwhile: what they wait for may come behind them. */
const MAX_QUEUED = 1_000;
const FINISH_MS = 5_000;
const LISTEN_AGAIN_MS = [1_000, 2_000, 5_000];

export interface RelayOptions extends LinkTarget {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Ends the relay as the end of `stdin` does. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Serves an MCP client on stdin and stdout by handing its messages to a daemon's `/mcp`, in either era. Every
 * request is answered, with an error where the daemon cannot be reached; a session that the daemon has lost is
 * begun anew. Resolves with the exit code.
 */
export async function relayStdio(options: RelayOptions): Promise<number> {
  const { stdin, signal, log } = options;
  const relay = new Relay(options);
  const stop = () => stdin.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const line of textLines(stdin)) if (line.trim() !== "") await relay.take(line);
    return 0;
  } catch (error) {
    if (signal.aborted) return 0;
    log.warn({ error: messageOf(error) }, "reading from the client failed");
    return 1;
  } finally {
    signal.removeEventListener("abort", stop);
    await relay.finish();
  }
}

type RequestId = string | number;

/** A request that the client waits for. */
interface Pending {
  readonly modern: boolean;
  /** Settles when the daemon has taken the request or refused it. */
  readonly taken: Promise<unknown>;
  /** Stops waiting for the answer. */
  readonly hangUp: () => void;
}

class Relay {
  readonly #link: DaemonLink;
  readonly #url: string;
  readonly #stdout: Writable;
  readonly #log: Log;
  readonly #ended = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #lasting = new Set<Promise<void>>();
  readonly #pending = new Map<unknown, Pending>();
  readonly #queued: Message[] = [];
  #initialize: Message | undefined;
  #restoring: Promise<void> | undefined;
  #listening: Promise<void> | undefined;
  #drained: Promise<unknown> | undefined;

  constructor(options: RelayOptions) {
    this.#link = new DaemonLink(options);
    this.#url = options.url;
    this.#stdout = options.stdout;
    this.#log = options.log;
    // A client that stopped reading is gone; what was meant for it is dropped.
    this.#stdout.on("error", () => this.#ended.abort());
  }

  /** Resolves when the next line may come: at once, or after a step of the handshake, or when there is room. */
  async take(line: string): Promise<void> {
    const message = parse(line);
    if (!message) {
      return this.#write(
        failure(null, { code: RPC.parseError, message: "a line must be one JSON-RPC message" }),
      );
    }
    const isRequest = requestIds(message).size > 0;
    if (isRequest && this.#inFlight.size >= MAX_IN_FLIGHT) {
      this.#queued.push(message);
      while (this.#queued.length >= MAX_QUEUED) await Promise.race(this.#inFlight);
      return;
    }
    if (this.#takeBack(cancelledId(message))) return;
    const delivery = this.#begin(message);
    if (isInitialize(message) || methodOf(message) === "notifications/initialized") await delivery;
  }

  /** Gives answers under way a moment, then ends the session and every connection. */
  async finish(): Promise<void> {
    const waited = new AbortController();
    const timer = delay(FINISH_MS, undefined, { signal: waited.signal }).catch(() => {});
    await Promise.race([this.#allAnswered(waited.signal), timer]);
    waited.abort();
    this.#queued.length = 0;
    this.#ended.abort();
    await Promise.all([...this.#inFlight, ...this.#lasting, this.#listening]);
    await this.#link.close(AbortSignal.timeout(FINISH_MS)).catch((error: unknown) => {
      this.#log.warn({ error: messageOf(error) }, "the session could not be ended");
    });
  }

  /** Never rejects. */
  #begin(message: Message): Promise<void> {
    // A subscription lasts as long as the client: nothing waits for its answer.
    const deliveries = methodOf(message) === "subscriptions/listen" ? this.#lasting : this.#inFlight;
    const delivery = this.#deliver(message).finally(() => {
      deliveries.delete(delivery);
      const next = this.#inFlight.size < MAX_IN_FLIGHT ? this.#queued.shift() : undefined;
      if (next) void this.#begin(next);
    });
    deliveries.add(delivery);
    return delivery;
  }

  /** True where the request that is cancelled has not left yet. */
  #takeBack(id: unknown): boolean {
    const index =
      id === undefined ? -1 : this.#queued.findIndex((message) => requestIds(message).has(id as RequestId));
    if (index === -1) return false;
    this.#queued.splice(index, 1);
    return true;
  }

  async #allAnswered(signal: AbortSignal): Promise<void> {
    while (this.#inFlight.size > 0 && !signal.aborted) await Promise.race(this.#inFlight);
  }

  /** Hands one message over and its answers back. Never rejects. */
  async #deliver(message: Message): Promise<void> {
    const cancelled = this.#pending.get(cancelledId(message));
    // The modern era cancels by hanging up. A session gets the notification, and must have the request before it.
    if (cancelled?.modern) return cancelled.hangUp();
    await cancelled?.taken;
    if (isInitialize(message)) this.#initialize = message;

    const hungUp = new AbortController();
    const signal = AbortSignal.any([hungUp.signal, this.#ended.signal]);
    const posted = this.#post(message, signal);
    const unanswered = requestIds(message);
    const pending = {
      modern: isModern(message),
      taken: posted.catch(() => {}),
      // The others of a batch are still waited for.
      hangUp: () => (unanswered.size === 1 ? hungUp.abort() : undefined),
    };
    for (const id of unanswered) this.#pending.set(id, pending);
    let lost = false;
    try {
      const answers = await posted;
      lost = true;
      for await (const answer of answers) {
        for (const id of answeredIds(answer)) unanswered.delete(id);
        await this.#write(answer);
      }
      if (unanswered.size > 0) throw new Error("the answer ended early");
      if (methodOf(message) === "notifications/initialized") this.#listening ??= this.#listen();
    } catch (error) {
      if (signal.aborted) return;
      if (unanswered.size === 0)
        this.#log.warn({ error: messageOf(error) }, "a message did not reach the daemon");
      for (const id of unanswered) await this.#write(failure(id, this.#explain(error, lost)));
    } finally {
      for (const id of requestIds(message)) this.#pending.delete(id);
      cancelled?.hangUp();
    }
  }

  /** A 404 means that the session is not known and the message was not looked at, so that it may be sent again. */
  async #post(message: Message, signal: AbortSignal): Promise<AsyncIterable<Message>> {
    await this.#restoring;
    const { sessionId } = this.#link;
    try {
      return await this.#link.post(message, signal);
    } catch (error) {
      if (!isSessionLost(error) || sessionId === undefined || isModern(message)) throw error;
      await this.#restore(sessionId);
      return this.#link.post(message, signal);
    }
  }

  /** Begins a session in place of `lost`; everyone who notices the loss waits for the same new one. */
  #restore(lost: string): Promise<void> {
    if (this.#link.sessionId !== lost || !this.#initialize) return this.#restoring ?? Promise.resolve();
    this.#restoring ??= this.#beginAgain(this.#initialize).finally(() => {
      this.#restoring = undefined;
    });
    return this.#restoring;
  }

  async #beginAgain(initialize: Message): Promise<void> {
    const { signal } = this.#ended;
    for await (const _ of await this.#link.post(initialize, signal));
    for await (const _ of await this.#link.post(notification("initialized"), signal));
    await this.#write(notification("tools/list_changed"));
  }

  /** Passes on what the daemon says without being asked. Never rejects. */
  async #listen(): Promise<void> {
    const { signal } = this.#ended;
    for (let failures = 0; !signal.aborted; failures++) {
      const { sessionId } = this.#link;
      try {
        const messages = await this.#link.listen(signal);
        failures = 0;
        for await (const message of messages) await this.#write(message);
      } catch (error) {
        if (isSessionLost(error) && sessionId !== undefined) await this.#restore(sessionId).catch(() => {});
        else if (isFinal(error)) return;
      }
      const wait = LISTEN_AGAIN_MS[Math.min(failures, LISTEN_AGAIN_MS.length - 1)];
      await delay(wait, undefined, { signal }).catch(() => {});
    }
  }

  async #write(message: Message): Promise<void> {
    if (this.#stdout.write(`${JSON.stringify(message)}\n`)) return;
    this.#drained ??= once(this.#stdout, "drain", { signal: this.#ended.signal })
      .catch(() => {})
      .finally(() => {
        this.#drained = undefined;
      });
    await this.#drained;
  }

  #explain(error: unknown, lost: boolean): RpcFailure {
    if (error instanceof Refused) {
      if (error.status === 401) {
        return {
          code: RPC.refused,
          message: `the Toolkeep daemon does not accept the token in TOOLKEEP_TOKEN: ${error.message}`,
        };
      }
      return { code: RPC.refused, message: error.message, ...error.rpcError };
    }
    const cause = isRecord(error) && typeof error.code === "string" ? error.code : messageOf(error);
    const message = lost
      ? `the connection to the Toolkeep daemon was lost before it answered (${cause}); the request may have run`
      : `the Toolkeep daemon at ${this.#url} cannot be reached (${cause}); start it with toolkeep serve and try again`;
    return { code: RPC.refused, message };
  }
}

interface RpcFailure {
  readonly code: number;
  readonly message: string;
}

function failure(id: RequestId | null, error: RpcFailure): Message {
  return { jsonrpc: "2.0", id, error };
}

function notification(name: string): Message {
  return { jsonrpc: "2.0", method: `notifications/${name}` };
}

function parse(line: string): Message | undefined {
  try {
    const message: unknown = parseExact(line);
    return isRecord(message) || Array.isArray(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

function methodOf(message: Message): unknown {
  return "method" in message ? message.method : undefined;
}

function cancelledId(message: Message): unknown {
  if (methodOf(message) !== "notifications/cancelled" || !("params" in message)) return undefined;
  return isRecord(message.params) ? message.params.requestId : undefined;
}

function requestIds(message: Message): Set<RequestId> {
  return idsOf(message, (one) => "method" in one);
}

function answeredIds(message: Message): Set<RequestId> {
  return idsOf(message, (one) => !("method" in one));
}

function idsOf(message: Message, wanted: (one: Record<string, unknown>) => boolean): Set<RequestId> {
  const all: readonly unknown[] = Array.isArray(message) ? message : [message];
  const ids = all
    .filter(isRecord)
    .filter(wanted)
    .map((one) => one.id);
  return new Set(ids.filter((id) => typeof id === "string" || typeof id === "number"));
}

function isSessionLost(error: unknown): boolean {
  return error instanceof Refused && error.status === 404;
}

/** A daemon that ends (503), is busy (408, 429) or still sees the stream before (409) will take the next one; other refusals stay. */
const PASSING = [408, 409, 429];

function isFinal(error: unknown): boolean {
  return error instanceof Refused && error.status < 500 && !PASSING.includes(error.status);
}
