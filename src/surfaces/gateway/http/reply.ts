import type { ServerResponse } from "node:http";
import type { Deadline, Deadlines } from "../../../lib/flow/deadlines.ts";
import type { HttpAnswer } from "../messages.ts";
import type { EventStream } from "./event-stream.ts";

/** A slower answer becomes a stream, so that the client sees that work is under way. */
const STREAM_AFTER_MS = 1_000;

export interface ReplyOptions {
  /** The number of answers: more than one for a batch. */
  readonly expected: number;
  readonly isBatch: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Opens the stream for messages before the answer; absent if the client accepts none. */
  readonly openStream?: () => EventStream;
  /** Schedules the change to a stream. */
  readonly deadlines: Deadlines;
  /** Overrides the default delay. Once there is a stream, an error cannot have its own HTTP status. */
  readonly streamAfterMs?: number;
}

/**
 * The answer to one POST. Plain JSON, unless something has to be sent first or the answer takes long: then it becomes an
 * event stream that ends with the answer.
 */
export class Reply {
  readonly #res: ServerResponse;
  readonly #options: ReplyOptions;
  /** The answers so far, in the order of the requests. */
  readonly #answers: string[] = [];
  #settledCount = 0;
  #stream: EventStream | undefined;
  #deadline: Deadline | undefined;
  #isDone = false;

  constructor(res: ServerResponse, options: ReplyOptions) {
    this.#res = res;
    this.#options = options;
  }

  /** Call once work on the answer has begun: after the delay the reply becomes a stream. */
  startDeadline(): void {
    const { openStream, deadlines, streamAfterMs = STREAM_AFTER_MS } = this.#options;
    if (!openStream || this.#isDone || this.#stream) return;
    this.#deadline = deadlines.after(streamAfterMs, () => void this.#ensureStream());
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  get canStream(): boolean {
    return this.#options.openStream !== undefined;
  }

  /** Sends a message ahead of the answer; dropped if the client accepts no stream. */
  send(text: string): void {
    if (!this.#isDone) this.#ensureStream()?.send(text);
  }

  /**
   * Answers request number `at`; the last answer ends the reply. `status` applies only while nothing was sent.
   */
  answer(text: string, status = 200, at = 0): void {
    if (this.#isDone) return;
    if (this.#stream) this.#stream.send(text);
    this.#answers[at] = text;
    this.#settle(status);
  }

  /** One request will not be answered, because its client cancelled it. */
  withdraw(): void {
    if (!this.#isDone) this.#settle(200);
  }

  #settle(status: number): void {
    this.#settledCount += 1;
    if (this.#settledCount >= this.#options.expected) this.#finish(status);
  }

  #ensureStream(): EventStream | undefined {
    this.#cancelDeadline();
    if (this.#stream || this.#res.headersSent || !this.#options.openStream) return this.#stream;
    this.#stream = this.#options.openStream();
    this.#stream.connect(this.#res, this.#options.headers);
    this.#stream.prime();
    for (const text of this.#listAnswers()) this.#stream.send(text);
    return this.#stream;
  }

  #cancelDeadline(): void {
    if (this.#deadline) this.#options.deadlines.cancel(this.#deadline);
    this.#deadline = undefined;
  }

  /** Skips the gaps of answers that have not come or never will. */
  #listAnswers(): readonly string[] {
    return this.#answers.filter((text) => text !== undefined);
  }

  #finish(status: number): void {
    this.#isDone = true;
    this.#cancelDeadline();
    if (this.#stream) {
      this.#stream.end();
      return;
    }
    const answers = this.#listAnswers();
    const body = this.#options.isBatch && answers.length > 0 ? `[${answers.join(",")}]` : (answers[0] ?? "");
    const { headers } = this.#options;
    const answer = { status: answers.length > 0 ? status : 202, headers, body };
    writeAnswer(this.#res, answer, body === "" ? undefined : "application/json");
  }
}

/** Writes a complete answer; does nothing if the client has left. `type` is the content type if `headers` lack it. */
export function writeAnswer(res: ServerResponse, { status, headers, body }: HttpAnswer, type?: string): void {
  if (res.destroyed || res.headersSent) return;
  // Node writes a flat list of headers without further processing.
  const list = ["content-length", String(Buffer.byteLength(body))];
  if (type !== undefined) list.push("content-type", type);
  for (const name in headers) list.push(name, headers[name]!);
  // A string body leaves in one piece with the headers.
  res.writeHead(status, list).end(body);
}

/** Whether an Accept header allows this type; a missing header allows everything. */
export function accepts(accept: string | undefined, type: string): boolean {
  return accept === undefined || accept.includes("*/*") || accept.includes(type);
}
