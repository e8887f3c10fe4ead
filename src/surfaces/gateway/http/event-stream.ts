import type { ServerResponse } from "node:http";
import { commentText, EVENT_STREAM_HEADERS, eventText, sendEventText } from "../../../lib/sse.ts";

const BEAT_MS = 15_000;
/** A reader that lets this much pile up is cut off. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** Keeps the events of a stream for a client that comes back for them, and numbers them. */
export interface EventRecord {
  /** The id under which the event is kept. */
  keep(text: string): string;
  /** How long a client should wait before it comes back. */
  readonly retryMs: number;
}

/** A stream of events to one client. With a record it outlives its connection: what is sent meanwhile is kept. */
export class EventStream {
  readonly #record: EventRecord | undefined;
  readonly #beats: Heartbeat;
  #res: ServerResponse | undefined;
  #ended = false;

  constructor(beats: Heartbeat, record?: EventRecord) {
    this.#beats = beats;
    this.#record = record;
  }

  get isEnded(): boolean {
    return this.#ended;
  }

  get isConnected(): boolean {
    return this.#res !== undefined;
  }

  /** Begins the answer on `res`; a connection that the stream had before ends. `missed` were sent meanwhile. */
  connect(
    res: ServerResponse,
    headers: Readonly<Record<string, string>>,
    missed: Iterable<readonly [id: string, text: string]> = [],
  ): void {
    const before = this.#res;
    this.#res = undefined;
    before?.end();
    res.writeHead(200, { ...headers, ...EVENT_STREAM_HEADERS });
    res.flushHeaders();
    for (const [id, text] of missed) res.write(messageText(text, id));
    if (this.#ended) {
      res.end();
      return;
    }
    this.#res = res;
    this.#beats.add(this);
    res.once("close", () => this.#gone(res));
  }

  /** Tells the client how to come back, before there is anything to say. */
  prime(): void {
    if (!this.#record) return;
    const id = this.#record.keep("");
    this.#res?.write(eventText({ id, retryMs: this.#record.retryMs, data: "" }));
  }

  send(text: string): void {
    if (this.#ended) return;
    const id = this.#record?.keep(text);
    if (this.#res) sendEventText(this.#res, messageText(text, id), MAX_UNREAD_BYTES);
  }

  beat(): void {
    this.#res?.write(commentText("keepalive"));
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#res?.end();
    this.#beats.delete(this);
  }

  #gone(res: ServerResponse): void {
    if (this.#res !== res) return;
    this.#res = undefined;
    this.#beats.delete(this);
  }
}

function messageText(data: string, id: string | undefined): string {
  return eventText({ event: "message", id, data });
}

/** Lets every open stream give a sign of life now and then, so that nothing on the way takes it for dead. */
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
