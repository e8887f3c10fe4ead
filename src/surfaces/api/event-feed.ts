import type { ServerResponse } from "node:http";
import { EVENT_NAMES, type EventMap, type EventName, type Events } from "../../contract/events.ts";
import { mapTexts } from "../../lib/json.ts";
import { commentText, EVENT_STREAM_HEADERS, eventText, sendEventText } from "../../lib/sse.ts";

const HEARTBEAT_MS = 15_000;
const MAX_TEXT = 1_000;

export interface FeedLimits {
  /** How many may listen at once. */
  readonly streams: number;
  /** How many events are kept for those who come back. */
  readonly kept: number;
  /** How much may wait for a reader before it is cut off. */
  readonly backlogBytes: number;
}

export const FEED_LIMITS: FeedLimits = { streams: 50, kept: 1_000, backlogBytes: 1_048_576 };

export interface FeedDeps {
  readonly events: Events;
  readonly redact: (text: string) => string;
  /** Differs from process to process, so that a number of another one is not taken for ours. */
  readonly epoch: string;
  readonly limits?: Partial<FeedLimits>;
  readonly heartbeatMs?: number;
}

export interface Subscription {
  readonly types: ReadonlySet<EventName>;
  /** What the reader saw last, as it was given; absent for one that begins. */
  readonly lastEventId?: string;
  /** Asked again and again: a stream ends with what opened it. */
  isValid(): boolean;
}

interface Entry {
  readonly seq: number;
  readonly name: EventName;
  readonly payload: object;
  /** Made when somebody listens: most of the time nobody does, and calls should not pay for it. */
  text: string | undefined;
}

/** After these somebody may no longer be here by right. */
const RIGHTS: ReadonlySet<EventName> = new Set([
  "token.changed",
  "agent.changed",
  "person.changed",
  "session.changed",
]);

/** What happens, for everybody who listens, as server-sent events. Never waits for a reader. */
export class EventFeed {
  readonly #deps: FeedDeps;
  readonly #limits: FeedLimits;
  readonly #streams = new Map<ServerResponse, Subscription>();
  readonly #kept: Entry[] = [];
  /** Set from the first reader on: until then nobody can come back for what happened, and calls should not pay for it. */
  #stops: readonly (() => void)[] | undefined;
  readonly #heartbeat: NodeJS.Timeout;
  #seq = 0;
  #closed = false;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
    this.#limits = { ...FEED_LIMITS, ...deps.limits };
    this.#heartbeat = setInterval(() => this.#beat(), deps.heartbeatMs ?? HEARTBEAT_MS).unref();
  }

  get streams(): number {
    return this.#streams.size;
  }

  get isFull(): boolean {
    return this.#closed || this.#streams.size >= this.#limits.streams;
  }

  /** Answers with a stream that lasts until the reader, its right to be here, or the feed ends. */
  open(res: ServerResponse, subscription: Subscription): void {
    this.#stops ??= this.#listen();
    res.writeHead(200, { ...EVENT_STREAM_HEADERS, "cache-control": "no-store" });
    res.once("close", () => this.#streams.delete(res));
    this.#streams.set(res, subscription);
    this.#send(res, commentText("toolkeep", this.#idOf(this.#seq)));
    if (subscription.lastEventId !== undefined) this.#catchUp(res, subscription, subscription.lastEventId);
  }

  /** Ends every stream, and takes no more. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#heartbeat);
    for (const stop of this.#stops ?? []) stop();
    for (const res of this.#streams.keys()) res.destroy();
  }

  #listen(): readonly (() => void)[] {
    return EVENT_NAMES.map((name) => this.#deps.events.on(name, (payload) => this.#happened(name, payload)));
  }

  #happened<N extends EventName>(name: N, payload: EventMap[N]): void {
    this.#seq += 1;
    const entry: Entry = { seq: this.#seq, name, payload: this.#bounded(payload), text: undefined };
    this.#kept.push(entry);
    // Twice as many before it is cut: moving them with every call would cost more than keeping them.
    if (this.#kept.length >= 2 * this.#limits.kept)
      this.#kept.splice(0, this.#kept.length - this.#limits.kept);
    for (const [res, { types }] of this.#streams) if (types.has(name)) this.#send(res, this.#textOf(entry));
    if (RIGHTS.has(name)) this.#endRevoked();
  }

  #catchUp(res: ServerResponse, { types }: Subscription, lastEventId: string): void {
    const seen = this.#seqOf(lastEventId);
    const oldest = this.#kept[0]?.seq ?? this.#seq + 1;
    if (seen === undefined || seen + 1 < oldest) {
      this.#send(res, eventText({ event: "missed", data: "{}" }));
      return;
    }
    for (const entry of this.#kept) {
      if (entry.seq > seen && types.has(entry.name)) this.#send(res, this.#textOf(entry));
    }
  }

  /** Undefined for what is none of ours. */
  #seqOf(id: string): number | undefined {
    const at = id.lastIndexOf("-");
    const seq = Number(id.slice(at + 1));
    const isOurs =
      id.slice(0, at) === this.#deps.epoch && Number.isInteger(seq) && seq >= 0 && seq <= this.#seq;
    return isOurs ? seq : undefined;
  }

  #beat(): void {
    this.#endRevoked();
    // The id moves on though nothing that is listened to happens: whoever comes back then has missed nothing.
    for (const res of this.#streams.keys()) this.#send(res, commentText("still here", this.#idOf(this.#seq)));
  }

  #endRevoked(): void {
    for (const [res, { isValid }] of this.#streams) if (!isValid()) res.destroy();
  }

  #send(res: ServerResponse, text: string): void {
    sendEventText(res, text, this.#limits.backlogBytes);
  }

  #textOf(entry: Entry): string {
    entry.text ??= eventText({
      id: this.#idOf(entry.seq),
      event: entry.name,
      data: JSON.stringify(mapTexts(entry.payload, this.#deps.redact)),
    });
    return entry.text;
  }

  /** A caller may name a tool with megabytes, and a thousand events are kept. Cut last: half a secret is not known. */
  #bounded(payload: object): object {
    return isLong(payload) ? mapTexts(payload, (text) => shortened(this.#deps.redact(text))) : payload;
  }

  #idOf(seq: number): string {
    return `${this.#deps.epoch}-${seq}`;
  }
}

function isLong(payload: object): boolean {
  for (const field in payload) {
    const value = (payload as Record<string, unknown>)[field];
    if (typeof value === "string" && value.length > MAX_TEXT) return true;
  }
  return false;
}

function shortened(text: string): string {
  // Through bytes: a mere slice would keep the whole text alive.
  return text.length <= MAX_TEXT ? text : `${Buffer.from(text.slice(0, MAX_TEXT)).toString()}…`;
}
