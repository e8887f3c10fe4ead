import type { ServerResponse } from "node:http";
import { commentText, EVENT_STREAM_HEADERS, eventText, sendEventText } from "../../../lib/sse.ts";

const BEAT_MS = 15_000;
/** A client with more unread bytes is disconnected. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** Stores the events of a stream under ids, for a client that reconnects. */
export interface EventRecord {
  /** Returns the id under which the event is stored. */
  keep(text: string): string;
  /** How long a client should wait before it reconnects. */
  readonly retryMs: number;
}

/** An event stream to one client. With a record it outlives its connection: events sent meanwhile are stored. */
export class EventStream {
  readonly #record: EventRecord | undefined;
  readonly #heartbeat: Heartbeat;
  #res: ServerResponse | undefined;
  #isEnded = false;

  constructor(heartbeat: Heartbeat, record?: EventRecord) {
    this.#heartbeat = heartbeat;
    this.#record = record;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get isConnected(): boolean {
    return this.#res !== undefined;
  }

  /** Starts the answer on `res` and ends the stream's previous connection. `missed` are the events sent meanwhile. */
  connect(
    res: ServerResponse,
    headers: Readonly<Record<string, string>>,
    missed: Iterable<readonly [id: string, text: string]> = [],
  ): void {
    const previous = this.#res;
    this.#res = undefined;
    previous?.end();
    res.writeHead(200, { ...headers, ...EVENT_STREAM_HEADERS });
    res.flushHeaders();
    for (const [id, text] of missed) res.write(formatMessage(text, id));
    if (this.#isEnded) {
      res.end();
      return;
    }
    this.#res = res;
    this.#heartbeat.add(this);
    res.once("close", () => this.#handleClose(res));
  }

  /** Tells the client how to reconnect before the first event. */
  prime(): void {
    if (!this.#record) return;
    const id = this.#record.keep("");
    this.#res?.write(eventText({ id, retryMs: this.#record.retryMs, data: "" }));
  }

  send(text: string): void {
    if (this.#isEnded) return;
    const id = this.#record?.keep(text);
    if (this.#res) sendEventText(this.#res, formatMessage(text, id), MAX_UNREAD_BYTES);
  }

  beat(): void {
    this.#res?.write(commentText("keepalive"));
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#res?.end();
    this.#heartbeat.delete(this);
  }

  #handleClose(res: ServerResponse): void {
    if (this.#res !== res) return;
    this.#res = undefined;
    this.#heartbeat.delete(this);
  }
}

function formatMessage(data: string, id: string | undefined): string {
  return eventText({ event: "message", id, data });
}

/** Sends every open stream a comment regularly, so that intermediaries do not close it as dead. */
export class Heartbeat {
  readonly #streams = new Set<EventStream>();
  #timer: NodeJS.Timeout | undefined;

  get size(): number {
    return this.#streams.size;
  }

  add(stream: EventStream): void {
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => {
      for (const each of this.#streams) each.beat();
    }, BEAT_MS).unref();
  }

  delete(stream: EventStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
