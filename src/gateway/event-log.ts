import { randomBytes } from "node:crypto";
import type { EventRecord } from "./event-stream.ts";

const MAX_EVENTS = 200;
const MAX_BYTES = 2 * 1024 * 1024;
const RETRY_MS = 1_000;
const EVENT_ID = /^([\w-]{8})-(\d{1,9})-(\d{1,9})$/;

interface Kept {
  readonly stream: number;
  readonly number: number;
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
  #kept: Kept[] = [];
  #bytes = 0;
  #streams = 0;

  /** A stream of its own number, whose events are kept here. */
  newStream(): EventRecord & { readonly stream: number } {
    const stream = this.#streams++;
    let number = 0;
    return {
      stream,
      retryMs: RETRY_MS,
      keep: (text) => {
        this.#keep({ stream, number, text });
        return this.#idOf(stream, number++);
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
      .map((event) => [this.#idOf(event.stream, event.number), event.text] as const);
    return { stream: Number(stream), missed };
  }

  #idOf(stream: number, number: number): string {
    return `${this.#mark}-${stream}-${number}`;
  }

  #keep(event: Kept): void {
    this.#kept.push(event);
    this.#bytes += event.text.length;
    while (this.#kept.length > MAX_EVENTS || (this.#bytes > MAX_BYTES && this.#kept.length > 1)) {
      this.#bytes -= this.#kept.shift()?.text.length ?? 0;
    }
  }
}
