import type { ServerResponse } from "node:http";
import { type EventRecord, EventStream, type Heartbeat } from "../http/event-stream.ts";
import { formatError, type RequestId, type RpcFault } from "../messages.ts";
import { type EventBudget, EventLog, readRequestId } from "./event-log.ts";

/** Ended streams are dropped once there are this many. */
const CLEAN_ABOVE = 16;
/** The first version in which clients can resume a stream. */
const FIRST_RESUMABLE = "2025-11-25";

export interface StreamDeps {
  readonly heartbeat: Heartbeat;
  /** Limits what the streams of all sessions keep. */
  readonly eventBudget: EventBudget;
}

export interface StreamOwner {
  /** The negotiated protocol version. */
  readonly version: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The answer to a request whose stream is no longer known here. */
  readonly lostAnswer: RpcFault;
}

/** The streams of one session: its own, on which Toolkeep sends first, and those of slow answers. */
export class SessionStreams {
  readonly #owner: StreamOwner;
  readonly #heartbeat: Heartbeat;
  readonly #log: EventLog;
  /** By number in the log; number 0 is the session's own stream. */
  readonly #streams = new Map<number, EventStream>();
  readonly #own: EventStream;
  readonly #ownRecord: EventRecord;

  constructor(owner: StreamOwner, { heartbeat, eventBudget }: StreamDeps) {
    this.#owner = owner;
    this.#heartbeat = heartbeat;
    this.#log = new EventLog(eventBudget);
    this.#ownRecord = this.#log.newStream();
    this.#own = new EventStream(heartbeat, this.#ownRecord);
    this.#streams.set(0, this.#own);
  }

  /** Whether the client listens to messages that belong to no request. */
  get hasListener(): boolean {
    return this.#own.isConnected;
  }

  /** Sends a message that belongs to no request. */
  send(text: string): void {
    this.#own.send(text);
  }

  /** Opens a stream for the answer to a request. */
  open(request?: RequestId): EventStream {
    if (this.#streams.size >= CLEAN_ABOVE) this.#forgetEnded();
    // Earlier versions do not know events without data, and a client that cannot resume needs no ids.
    if (!this.#isResumable) return new EventStream(this.#heartbeat);
    const record = this.#log.newStream(request);
    const stream = new EventStream(this.#heartbeat, record);
    this.#streams.set(record.stream, stream);
    return stream;
  }

  /**
   * Serves a GET: resumes a broken stream or connects the session's own. An unknown event id is from before a restart, and
   * what followed it is lost; if an answer was to come, the client is told that it is lost. Returns what the client now
   * listens to.
   */
  connect(res: ServerResponse, lastEventId: string | undefined): "own" | "answer" | "nothing" {
    const resumed = lastEventId === undefined ? undefined : this.#log.resumeAfter(lastEventId);
    const lostRequest = resumed || lastEventId === undefined ? undefined : readRequestId(lastEventId);
    const { headers } = this.#owner;
    if (lostRequest !== undefined) {
      // Uses an id of this log, so that a client that reconnects gets the session's own stream.
      const missed = [[this.#ownRecord.keep(""), formatError(lostRequest, this.#owner.lostAnswer)]] as const;
      createEndedStream(this.#heartbeat).connect(res, headers, missed);
      return "nothing";
    }
    const stream = this.#streams.get(resumed?.stream ?? 0) ?? createEndedStream(this.#heartbeat);
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

/** For a stream that is over: sends what was missed, and nothing more. */
function createEndedStream(heartbeat: Heartbeat): EventStream {
  const stream = new EventStream(heartbeat);
  stream.end();
  return stream;
}
