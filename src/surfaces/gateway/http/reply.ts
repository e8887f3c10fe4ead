import type { ServerResponse } from "node:http";
import type { Deadline, Deadlines } from "../../../lib/flow/deadlines.ts";
import type { HttpAnswer } from "../messages.ts";
import type { EventStream } from "./event-stream.ts";

/** An answer that takes longer than this becomes a stream, so that the client sees that it is being worked on. */
const PATIENCE_MS = 1_000;

export interface ReplyOptions {
  /** How many answers belong to the request: more than one for a batch. */
  readonly expected: number;
  readonly isBatch: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Opens the stream for what is sent before the answer; absent where the client takes none. */
  readonly openStream?: () => EventStream;
  /** For how long the client waits without one. */
  readonly patience: Deadlines;
  /** In the place of the usual: once there is a stream, no error can have a status of its own. */
  readonly patienceMs?: number;
}

/**
 * The answer to one POST. It is plain JSON unless something has to be sent before it, or it takes long: then it
 * becomes a stream of events, the answer last.
 */
export class Reply {
  readonly #res: ServerResponse;
  readonly #options: ReplyOptions;
  /** In the order of the requests; those that came so far. */
  readonly #answers: string[] = [];
  #settled = 0;
  #stream: EventStream | undefined;
  #patience: Deadline | undefined;
  #done = false;

  constructor(res: ServerResponse, options: ReplyOptions) {
    this.#res = res;
    this.#options = options;
  }

  /** What is to be answered has begun: from now on it may take too long. */
  wait(): void {
    const { openStream, patience, patienceMs = PATIENCE_MS } = this.#options;
    if (!openStream || this.#done || this.#stream) return;
    this.#patience = patience.after(patienceMs, () => void this.#begin());
  }

  get isDone(): boolean {
    return this.#done;
  }

  get takesStream(): boolean {
    return this.#options.openStream !== undefined;
  }

  /** Sends a message ahead of the answer; dropped where that cannot be. */
  send(text: string): void {
    if (!this.#done) this.#begin()?.send(text);
  }

  /**
   * The answer to one of the requests, of which it is number `at`; the last one ends the reply. `status` counts while
   * nothing was sent.
   */
  answer(text: string, status = 200, at = 0): void {
    if (this.#done) return;
    if (this.#stream) this.#stream.send(text);
    this.#answers[at] = text;
    this.#settle(status);
  }

  /** One of the requests will not be answered: its client does not want that any more. */
  withdraw(): void {
    if (!this.#done) this.#settle(200);
  }

  #settle(status: number): void {
    this.#settled += 1;
    if (this.#settled >= this.#options.expected) this.#finish(status);
  }

  #begin(): EventStream | undefined {
    this.#beginsNoMore();
    if (this.#stream || this.#res.headersSent || !this.#options.openStream) return this.#stream;
    this.#stream = this.#options.openStream();
    this.#stream.connect(this.#res, this.#options.headers);
    this.#stream.prime();
    for (const text of this.#sendable()) this.#stream.send(text);
    return this.#stream;
  }

  #beginsNoMore(): void {
    if (this.#patience) this.#options.patience.cancel(this.#patience);
    this.#patience = undefined;
  }

  /** Without the gaps that those leave that have not come, or never will. */
  #sendable(): readonly string[] {
    return this.#answers.filter((text) => text !== undefined);
  }

  #finish(status: number): void {
    this.#done = true;
    this.#beginsNoMore();
    if (this.#stream) {
      this.#stream.end();
      return;
    }
    const answers = this.#sendable();
    const body = this.#options.isBatch && answers.length > 0 ? `[${answers.join(",")}]` : (answers[0] ?? "");
    const { headers } = this.#options;
    const answer = { status: answers.length > 0 ? status : 202, headers, body };
    writeAnswer(this.#res, answer, body === "" ? undefined : "application/json");
  }
}

/** Writes a whole answer; nothing where the client is gone. `type`: where its headers do not say it. */
export function writeAnswer(res: ServerResponse, { status, headers, body }: HttpAnswer, type?: string): void {
  if (res.destroyed || res.headersSent) return;
  // As a list, which Node writes down without looking at it any further.
  const list = ["content-length", String(Buffer.byteLength(body))];
  if (type !== undefined) list.push("content-type", type);
  for (const name in headers) list.push(name, headers[name]!);
  // A text goes out in one piece with the headers.
  res.writeHead(status, list).end(body);
}

/** Whether an Accept header takes this type; a client that does not say what it takes takes everything. */
export function accepts(accept: string | undefined, type: string): boolean {
  return accept === undefined || accept.includes("*/*") || accept.includes(type);
}
