import { randomBytes } from "node:crypto";
import type { EventRecord } from "../http/event-stream.ts";
import type { RequestId } from "../messages.ts";

const MAX_EVENTS = 200;
const MAX_BYTES = 2 * 1024 * 1024;
/** Of all sessions together. */
const MAX_BYTES_OF_ALL = 64 * 1024 * 1024;
const RETRY_MS = 1_000;
const EVENT_ID = /^([\w-]{8})-(\d{1,9})-(\d{1,9})(?:-([ns][\w-]{0,199}))?$/;
/** A longer id of a request is not told by the ids of its events. */
const MAX_REQUEST = 200;
const TEXT = "s";
const NUMBER = "n";

interface Kept {
  readonly stream: number;
  readonly number: number;
  readonly suffix: string;
  readonly text: string;
}

/** Where a client left off. */
export interface Resumption {
  readonly stream: number;
  /** What was sent on that stream since, oldest first. */
  readonly missed: readonly (readonly [id: string, text: string])[];
}

/** The last events of a session's streams, so that a client whose connection broke can have what it missed. */
export class EventLog {
  /** Tells ids of this log from those of the same session at another daemon, or before a restart. */
  readonly #mark = randomBytes(6).toString("base64url");
  readonly #budget: EventBudget;
  #kept: Kept[] = [];
  #bytes = 0;
  #streams = 0;

  constructor(budget: EventBudget) {
    this.#budget = budget;
  }

  /**
   * A stream of its own number, whose events are kept here. With the request that it answers: the ids of its events tell
   * of it, so that a daemon that never saw it can say that its answer is lost.
   */
  newStream(request?: RequestId): EventRecord & { readonly stream: number } {
    const stream = this.#streams++;
    const suffix = request === undefined ? "" : suffixFor(request);
    let number = 0;
    return {
      stream,
      retryMs: RETRY_MS,
      keep: (text) => {
        this.#keep({ stream, number, suffix, text });
        return this.#idOf(stream, number++, suffix);
      },
    };
  }

  /** Undefined for an id that no stream here gave out. */
  after(lastEventId: string): Resumption | undefined {
    const [, mark, stream, number] = EVENT_ID.exec(lastEventId) ?? [];
    if (mark !== this.#mark || Number(stream) >= this.#streams) return undefined;
    const missed = this.#kept
      .filter((event) => event.stream === Number(stream) && event.number > Number(number))
      .filter((event) => event.text !== "")
      .map((event) => [this.#idOf(event.stream, event.number, event.suffix), event.text] as const);
    return { stream: Number(stream), missed };
  }

  /** Keeps nothing of what was sent so far: what a client missed of it is lost to it. */
  forget(): void {
    this.#kept = [];
    this.#bytes = 0;
    this.#budget.note(this, 0);
  }

  #idOf(stream: number, number: number, suffix: string): string {
    return `${this.#mark}-${stream}-${number}${suffix}`;
  }

  #keep(event: Kept): void {
    this.#kept.push(event);
    this.#bytes += event.text.length;
    while (this.#kept.length > MAX_EVENTS || (this.#bytes > MAX_BYTES && this.#kept.length > 1)) {
      this.#bytes -= this.#kept.shift()?.text.length ?? 0;
    }
    this.#budget.note(this, this.#bytes);
  }
}

/** The request whose answer was to come on the stream of an event, as the event's id tells. */
export function requestOf(eventId: string): RequestId | undefined {
  const [, , , , written] = EVENT_ID.exec(eventId) ?? [];
  if (written === undefined) return undefined;
  const id = Buffer.from(written.slice(1), "base64url").toString();
  if (written[0] === TEXT) return id;
  return Number.isFinite(Number(id)) ? Number(id) : undefined;
}

function suffixFor(request: RequestId): string {
  const kind = typeof request === "string" ? TEXT : NUMBER;
  const written = `${kind}${Buffer.from(String(request)).toString("base64url")}`;
  return written.length <= MAX_REQUEST ? `-${written}` : "";
}

/** What the logs of all sessions keep together. Where it is too much, the one that was quiet longest forgets. */
export class EventBudget {
  readonly #maxBytes: number;
  /** Least recently written first. */
  readonly #bytesOf = new Map<EventLog, number>();
  #bytes = 0;

  constructor(maxBytes = MAX_BYTES_OF_ALL) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** That a log now keeps so many bytes. */
  note(log: EventLog, bytes: number): void {
    this.#bytes += bytes - (this.#bytesOf.get(log) ?? 0);
    this.#bytesOf.delete(log);
    if (bytes > 0) this.#bytesOf.set(log, bytes);
    if (this.#bytes > this.#maxBytes) this.#bytesOf.keys().next().value?.forget();
  }
}
