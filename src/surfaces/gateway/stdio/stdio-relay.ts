import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../contract/errors.ts";
import { parseExact } from "../../../lib/exact-json.ts";
import { isRecord } from "../../../lib/json.ts";
import { textLines } from "../../../lib/lines.ts";
import type { Log } from "../../../lib/log.ts";
import { RPC } from "../messages.ts";
import {
  DaemonLink,
  isInitialize,
  isModern,
  type LinkTarget,
  type Message,
  RefusedError,
} from "./daemon-link.ts";

const MAX_IN_FLIGHT = 64;
/** How many requests may wait for room. Reading continues meanwhile, because what they wait for may follow. */
const MAX_QUEUED = 1_000;
const FINISH_MS = 5_000;
const LISTEN_AGAIN_MS = [1_000, 2_000, 5_000];

export interface RelayOptions extends LinkTarget {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Ends the relay like the end of `stdin`. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Serves an MCP client on stdin and stdout by passing its messages to a daemon's `/mcp`, in either era. Answers every
 * request, with an error if the daemon cannot be reached, and begins a new session if the daemon has lost it. Resolves
 * with the exit code.
 */
export async function relayStdio(options: RelayOptions): Promise<number> {
  const { stdin, signal, log } = options;
  const relay = new Relay(options);
  const stop = () => stdin.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const line of textLines(stdin)) if (line.trim() !== "") await relay.handleLine(line);
    return 0;
  } catch (error) {
    if (signal.aborted) return 0;
    log.warn({ error: messageOf(error) }, "stdio: reading from the client failed");
    return 1;
  } finally {
    signal.removeEventListener("abort", stop);
    await relay.finish();
  }
}

type RequestId = string | number;

/** A request that the client waits for. */
interface PendingRequest {
  readonly isModern: boolean;
  /** Settles when the daemon has accepted or refused the request. */
  readonly accepted: Promise<unknown>;
  /** Stops waiting for the answer. */
  readonly hangUp: () => void;
}

class Relay {
  readonly #link: DaemonLink;
  readonly #url: string;
  readonly #stdout: Writable;
  readonly #log: Log;
  readonly #ending = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #subscriptions = new Set<Promise<void>>();
  readonly #pending = new Map<unknown, PendingRequest>();
  readonly #queued: Message[] = [];
  #initialize: Message | undefined;
  #restoring: Promise<void> | undefined;
  #listening: Promise<void> | undefined;
  #draining: Promise<unknown> | undefined;

  constructor(options: RelayOptions) {
    this.#link = new DaemonLink(options);
    this.#url = options.url;
    this.#stdout = options.stdout;
    this.#log = options.log;
    // A client that stopped reading has left; messages for it are dropped.
    this.#stdout.on("error", () => this.#ending.abort());
  }

  /** Resolves when the next line may follow: at once, after a step of the handshake, or when there is room. */
  async handleLine(line: string): Promise<void> {
    const message = parseLine(line);
    if (!message) {
      return this.#write(
        buildFailure(null, { code: RPC.parseError, message: "a line must be one JSON-RPC message" }),
      );
    }
    const isRequest = listRequestIds(message).size > 0;
    if (isRequest && this.#inFlight.size >= MAX_IN_FLIGHT) {
      this.#queued.push(message);
      while (this.#queued.length >= MAX_QUEUED) await Promise.race(this.#inFlight);
      return;
    }
    if (this.#cancelQueued(readCancelledId(message))) return;
    const delivery = this.#begin(message);
    if (isInitialize(message) || getMethod(message) === "notifications/initialized") await delivery;
  }

  /** Gives answers under way a moment, then ends the session and every connection. */
  async finish(): Promise<void> {
    const waited = new AbortController();
    const timer = delay(FINISH_MS, undefined, { signal: waited.signal }).catch(() => {});
    await Promise.race([this.#waitForAnswers(waited.signal), timer]);
    waited.abort();
    this.#queued.length = 0;
    this.#ending.abort();
    await Promise.all([...this.#inFlight, ...this.#subscriptions, this.#listening]);
    await this.#link.close(AbortSignal.timeout(FINISH_MS)).catch((error: unknown) => {
      this.#log.warn({ error: messageOf(error) }, "stdio: ending the session failed");
    });
  }

  /** Never rejects. */
  #begin(message: Message): Promise<void> {
    // A subscription lasts as long as the client, so nothing waits for its answer.
    const deliveries = getMethod(message) === "subscriptions/listen" ? this.#subscriptions : this.#inFlight;
    const delivery = this.#deliver(message).finally(() => {
      deliveries.delete(delivery);
      const next = this.#inFlight.size < MAX_IN_FLIGHT ? this.#queued.shift() : undefined;
      if (next) void this.#begin(next);
    });
    deliveries.add(delivery);
    return delivery;
  }

  /** Returns true if the cancelled request had not left yet. */
  #cancelQueued(id: unknown): boolean {
    const index =
      id === undefined
        ? -1
        : this.#queued.findIndex((message) => listRequestIds(message).has(id as RequestId));
    if (index === -1) return false;
    this.#queued.splice(index, 1);
    return true;
  }

  async #waitForAnswers(signal: AbortSignal): Promise<void> {
    while (this.#inFlight.size > 0 && !signal.aborted) await Promise.race(this.#inFlight);
  }

  /** Sends one message and passes its answers back. Never rejects. */
  async #deliver(message: Message): Promise<void> {
    const cancelled = this.#pending.get(readCancelledId(message));
    // The modern era cancels by closing the connection. A session gets the notification, but only after the request.
    if (cancelled?.isModern) return cancelled.hangUp();
    await cancelled?.accepted;
    if (isInitialize(message)) this.#initialize = message;

    const hungUp = new AbortController();
    const signal = AbortSignal.any([hungUp.signal, this.#ending.signal]);
    const posted = this.#post(message, signal);
    const unanswered = listRequestIds(message);
    const pending = {
      isModern: isModern(message),
      accepted: posted.catch(() => {}),
      // The other requests of a batch are still waited for.
      hangUp: () => (unanswered.size === 1 ? hungUp.abort() : undefined),
    };
    for (const id of unanswered) this.#pending.set(id, pending);
    let isLost = false;
    try {
      const answers = await posted;
      isLost = true;
      for await (const answer of answers) {
        for (const id of listAnsweredIds(answer)) unanswered.delete(id);
        await this.#write(answer);
      }
      if (unanswered.size > 0) throw new Error("the answer ended early");
      if (getMethod(message) === "notifications/initialized") this.#listening ??= this.#listen();
    } catch (error) {
      if (signal.aborted) return;
      if (unanswered.size === 0)
        this.#log.warn({ error: messageOf(error) }, "stdio: a message did not reach the daemon");
      for (const id of unanswered) await this.#write(buildFailure(id, this.#explain(error, isLost)));
    } finally {
      for (const id of listRequestIds(message)) this.#pending.delete(id);
      cancelled?.hangUp();
    }
  }

  /** A 404 means that the session is unknown and the message was not processed, so it may be sent again. */
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

  /** Begins a session in place of `lost`; all who notice the loss wait for the same new one. */
  #restore(lost: string): Promise<void> {
    if (this.#link.sessionId !== lost || !this.#initialize) return this.#restoring ?? Promise.resolve();
    this.#restoring ??= this.#initializeAgain(this.#initialize).finally(() => {
      this.#restoring = undefined;
    });
    return this.#restoring;
  }

  async #initializeAgain(initialize: Message): Promise<void> {
    const { signal } = this.#ending;
    for await (const _ of await this.#link.post(initialize, signal));
    for await (const _ of await this.#link.post(buildNotification("initialized"), signal));
    await this.#write(buildNotification("tools/list_changed"));
  }

  /** Passes on the messages that the daemon sends unasked. Never rejects. */
  async #listen(): Promise<void> {
    const { signal } = this.#ending;
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
    this.#draining ??= once(this.#stdout, "drain", { signal: this.#ending.signal })
      .catch(() => {})
      .finally(() => {
        this.#draining = undefined;
      });
    await this.#draining;
  }

  #explain(error: unknown, isLost: boolean): RpcFailure {
    if (error instanceof RefusedError) {
      if (error.status === 401) {
        return {
          code: RPC.refused,
          message: `the Toolkeep daemon does not accept the token in TOOLKEEP_TOKEN: ${error.message}`,
        };
      }
      return { code: RPC.refused, message: error.message, ...error.rpcError };
    }
    const cause = isRecord(error) && typeof error.code === "string" ? error.code : messageOf(error);
    const message = isLost
      ? `the connection to the Toolkeep daemon was lost before it answered (${cause}); the request may have run`
      : `the Toolkeep daemon at ${this.#url} cannot be reached (${cause}); start it with toolkeep serve and try again`;
    return { code: RPC.refused, message };
  }
}

interface RpcFailure {
  readonly code: number;
  readonly message: string;
}

function buildFailure(id: RequestId | null, error: RpcFailure): Message {
  return { jsonrpc: "2.0", id, error };
}

function buildNotification(name: string): Message {
  return { jsonrpc: "2.0", method: `notifications/${name}` };
}

function parseLine(line: string): Message | undefined {
  try {
    const message: unknown = parseExact(line);
    return isRecord(message) || Array.isArray(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

function getMethod(message: Message): unknown {
  return "method" in message ? message.method : undefined;
}

function readCancelledId(message: Message): unknown {
  if (getMethod(message) !== "notifications/cancelled" || !("params" in message)) return undefined;
  return isRecord(message.params) ? message.params.requestId : undefined;
}

function listRequestIds(message: Message): Set<RequestId> {
  return listIds(message, (one) => "method" in one);
}

function listAnsweredIds(message: Message): Set<RequestId> {
  return listIds(message, (one) => !("method" in one));
}

function listIds(message: Message, wanted: (one: Record<string, unknown>) => boolean): Set<RequestId> {
  const all: readonly unknown[] = Array.isArray(message) ? message : [message];
  const ids = all
    .filter(isRecord)
    .filter(wanted)
    .map((one) => one.id);
  return new Set(ids.filter((id) => typeof id === "string" || typeof id === "number"));
}

function isSessionLost(error: unknown): boolean {
  return error instanceof RefusedError && error.status === 404;
}

/** A daemon that stops (503), is busy (408, 429) or still has the previous stream (409) will accept the next one; other refusals are final. */
const TRANSIENT_STATUSES = [408, 409, 429];

function isFinal(error: unknown): boolean {
  return error instanceof RefusedError && error.status < 500 && !TRANSIENT_STATUSES.includes(error.status);
}
