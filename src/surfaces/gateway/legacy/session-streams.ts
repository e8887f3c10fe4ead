import type { ServerResponse } from "node:http";
import { type EventRecord, EventStream, type Heartbeat } from "../http/event-stream.ts";
import { errorText, type RequestId, type RpcFault } from "../messages.ts";
import { type EventBudget, EventLog, requestOf } from "./event-log.ts";

/** Streams that ended are forgotten when there are more. */
const FEW_STREAMS = 16;
/** From this version on clients can come back for what they missed. */
const FIRST_RESUMABLE = "2025-11-25";

export interface StreamDeps {
  readonly beats: Heartbeat;
  /** For what the streams of all sessions keep. */
  readonly eventBudget: EventBudget;
}

export interface StreamOwner {
  /** The version of the protocol that the session agreed on. */
  readonly version: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The answer to a request whose stream is not known here any more. */
  readonly lost: RpcFault;
}

/** The streams of one session: the one on which Toolkeep speaks first, and those of answers that take long. */
export class SessionStreams {
  readonly #owner: StreamOwner;
  readonly #beats: Heartbeat;
  readonly #log: EventLog;
  /** By their number in the log; number 0 is the one on which Toolkeep speaks first. */
  readonly #streams = new Map<number, EventStream>();
  readonly #own: EventStream;
  readonly #ownRecord: EventRecord;

  constructor(owner: StreamOwner, { beats, eventBudget }: StreamDeps) {
    this.#owner = owner;
    this.#beats = beats;
    this.#log = new EventLog(eventBudget);
    this.#ownRecord = this.#log.newStream();
    this.#own = new EventStream(beats, this.#ownRecord);
    this.#streams.set(0, this.#own);
  }

  /** Whether the client listens to what belongs to no request. */
  get isListenedTo(): boolean {
    return this.#own.isConnected;
  }

  /** Says something that belongs to no request. */
  send(text: string): void {
    this.#own.send(text);
  }

  /** A stream for the answer to a request. */
  open(answers?: RequestId): EventStream {
    if (this.#streams.size >= FEW_STREAMS) this.#forgetEnded();
    // Versions before do not know an event without data, and a client that cannot resume has no use for ids.
    if (!this.#isResumable) return new EventStream(this.#beats);
    const record = this.#log.newStream(answers);
    const stream = new EventStream(this.#beats, record);
    this.#streams.set(record.stream, stream);
    return stream;
  }

  /**
   * Serves a GET: the rest of a stream that broke, or the one on which Toolkeep speaks first. An id that is not known
   * is of a life before a restart: what came after it is lost. Where an answer was to come, its client is told that it is
   * lost. Returns what the client now listens to.
   */
  connect(res: ServerResponse, lastEventId: string | undefined): "own" | "answer" | "nothing" {
    const resumed = lastEventId === undefined ? undefined : this.#log.after(lastEventId);
    const lost = resumed || lastEventId === undefined ? undefined : requestOf(lastEventId);
    const { headers } = this.#owner;
    if (lost !== undefined) {
      // With an id of this life: whoever comes back once more gets the stream on which Toolkeep speaks first.
      const missed = [[this.#ownRecord.keep(""), errorText(lost, this.#owner.lost)]] as const;
      endedStream(this.#beats).connect(res, headers, missed);
      return "nothing";
    }
    const stream = this.#streams.get(resumed?.stream ?? 0) ?? endedStream(this.#beats);
    stream.connect(res, headers, resumed?.missed);
    if (!resumed && this.#isResumable) stream.prime();
    return stream === this.#own ? "own" : "answer";
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.end();
    this.#streams.clear();
    this.#log.forget();
  }

  get #isResumable(): boolean {
    return this.#owner.version >= FIRST_RESUMABLE;
  }

  #forgetEnded(): void {
    for (const [number, stream] of this.#streams) if (stream.isEnded) this.#streams.delete(number);
  }
}

/** For a stream that is over: what was missed is sent, and nothing more comes. */
function endedStream(beats: Heartbeat): EventStream {
  const stream = new EventStream(beats);
  stream.end();
  return stream;
}
