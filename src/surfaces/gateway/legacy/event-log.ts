import { randomBytes } from "node:crypto";
import type { EventRecord } from "../http/event-stream.ts";
import type { RequestId } from "../messages.ts";

const MAX_EVENTS = 200;
const MAX_BYTES = 2 * 1024 * 1024;
/** The limit for all sessions together. */
const MAX_BYTES_OF_ALL = 64 * 1024 * 1024;
const RETRY_MS = 1_000;
const EVENT_ID = /^([\w-]{8})-(\d{1,9})-(\d{1,9})(?:-([ns][\w-]{0,199}))?$/;
/** The ids of a request's events leave out a longer request id. */
const MAX_REQUEST = 200;
const TEXT = "s";
const NUMBER = "n";

interface KeptEvent {
  readonly stream: number;
  readonly number: number;
  readonly suffix: string;
  readonly text: string;
}

/** Where a client left off. */
export interface Resumption {
  readonly stream: number;
  /** The events sent on that stream since, oldest first. */
  readonly missed: readonly (readonly [id: string, text: string])[];
}

/** The last events of a session's streams, so that a reconnecting client can get what it missed. */
export class EventLog {
  /** Distinguishes ids of this log from those of the same session at another daemon or before a restart. */
  readonly #mark = randomBytes(6).toString("base64url");
  readonly #budget: EventBudget;
  #kept: KeptEvent[] = [];
  #bytes = 0;
  #streams = 0;

  constructor(budget: EventBudget) {
    this.#budget = budget;
  }

  /**
   * Creates a numbered stream whose events are kept here. With `request`, event ids contain the id of the request that the
   * stream answers, so that a daemon that never saw it can report the answer as lost.
   */
  newStream(request?: RequestId): EventRecord & { readonly stream: number } {
    const stream = this.#streams++;
    const suffix = request === undefined ? "" : formatSuffix(request);
    let number = 0;
    return {
      stream,
      retryMs: RETRY_MS,
      keep: (text) => {
        this.#keep({ stream, number, suffix, text });
        return this.#formatId(stream, number++, suffix);
      },
    };
  }

  /** Undefined for an id that no stream of this log issued. */
  resumeAfter(lastEventId: string): Resumption | undefined {
    const [, mark, stream, number] = EVENT_ID.exec(lastEventId) ?? [];
    if (mark !== this.#mark || Number(stream) >= this.#streams) return undefined;
    const missed = this.#kept
      .filter((event) => event.stream === Number(stream) && event.number > Number(number))
      .filter((event) => event.text !== "")
      .map((event) => [this.#formatId(event.stream, event.number, event.suffix), event.text] as const);
    return { stream: Number(stream), missed };
  }

  /** Drops all events; whatever a client missed of them is lost. */
  forget(): void {
    this.#kept = [];
    this.#bytes = 0;
    this.#budget.update(this, 0);
  }

  #formatId(stream: number, number: number, suffix: string): string {
    return `${this.#mark}-${stream}-${number}${suffix}`;
  }

  #keep(event: KeptEvent): void {
    this.#kept.push(event);
    this.#bytes += event.text.length;
    while (this.#kept.length > MAX_EVENTS || (this.#bytes > MAX_BYTES && this.#kept.length > 1)) {
      this.#bytes -= this.#kept.shift()?.text.length ?? 0;
    }
    this.#budget.update(this, this.#bytes);
  }
}

/** Reads from an event's id which request its stream was to answer. */
export function readRequestId(eventId: string): RequestId | undefined {
  const [, , , , encoded] = EVENT_ID.exec(eventId) ?? [];
  if (encoded === undefined) return undefined;
  const id = Buffer.from(encoded.slice(1), "base64url").toString();
  if (encoded[0] === TEXT) return id;
  return Number.isFinite(Number(id)) ? Number(id) : undefined;
}

function formatSuffix(request: RequestId): string {
  const kind = typeof request === "string" ? TEXT : NUMBER;
  const encoded = `${kind}${Buffer.from(String(request)).toString("base64url")}`;
  return encoded.length <= MAX_REQUEST ? `-${encoded}` : "";
}

/** Limits the size of all sessions' logs together. Above the limit the log that was quiet longest is emptied. */
export class EventBudget {
  readonly #maxBytes: number;
  /** Least recently written first. */
  readonly #bytesByLog = new Map<EventLog, number>();
  #bytes = 0;

  constructor(maxBytes = MAX_BYTES_OF_ALL) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Records the current size of a log. */
  update(log: EventLog, bytes: number): void {
    this.#bytes += bytes - (this.#bytesByLog.get(log) ?? 0);
    this.#bytesByLog.delete(log);
    if (bytes > 0) this.#bytesByLog.set(log, bytes);
    if (this.#bytes > this.#maxBytes) this.#bytesByLog.keys().next().value?.forget();
  }
}
