import { Worker } from "node:worker_threads";
import { messageOf } from "../../../../contract/errors.ts";
import type { Log } from "../../../../lib/log.ts";
import type { Embedder, EmbedderState, EmbedOptions, Vector } from "../embedder.ts";
import { DIMENSIONS, MODEL } from "./minilm.ts";
import type { FromWorker, ToWorker, WorkerSetup } from "./minilm-worker.ts";

export interface LocalEmbedderOptions {
  /** Where the model is kept. */
  readonly folder: string;
  readonly log: Log;
  /** Without work for this long the thread ends, and its memory is free. */
  readonly idleMs?: number;
  /** A few texts that take longer than this have hung. */
  readonly hungMs?: number;
  /** What the thread runs; a build puts it beside this file. */
  readonly worker?: URL;
}

const IDLE_MS = 5 * 60_000;
const HUNG_MS = 60_000;
const ENDING_MS = 2_000;
/** So few at once that whoever waits for an urgent one does not wait long. */
const TEXTS_AT_ONCE = 4;
/** Of what nobody waits for, and of what somebody does. */
const MAX_WAITING = 10_000;
const MAX_URGENT = 64;
const MAX_CHARS = 8_192;
/** After so many failures without a success in between it is not tried again. */
const MAX_FAILURES = 3;

/** A few texts of one `embed`. */
interface Piece {
  readonly texts: readonly string[];
  readonly done: (vectors: readonly Vector[] | undefined) => void;
}

/**
 * all-MiniLM-L6-v2 on this machine, in a thread that starts with the first text and ends when there is nothing to do. It keeps no process
 * alive. Without its packages, or after it has failed too often, it is unavailable, which is logged once.
 */
export class LocalEmbedder implements Embedder {
  readonly model = MODEL;
  readonly dimensions = DIMENSIONS;
  /** As `measureLikenessFloor` gives it; a test compares the two. */
  readonly likenessFloor = 0.3;
  readonly #options: Required<LocalEmbedderOptions>;
  readonly #urgent: Piece[] = [];
  readonly #waiting: Piece[] = [];
  #thread: Thread | undefined;
  /** What the thread has before it. */
  #current: { readonly id: number; readonly piece: Piece } | undefined;
  #lastId = 0;
  #failures = 0;
  /** The thread has said that it can. */
  #isReady = false;
  #reason: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ending: Promise<void> = Promise.resolve();

  constructor(options: LocalEmbedderOptions) {
    const worker = options.worker ?? new URL("./minilm-worker.js", import.meta.url);
    this.#options = { idleMs: IDLE_MS, hungMs: HUNG_MS, worker, ...options };
  }

  get state(): EmbedderState {
    if (this.#reason !== undefined) return { kind: "unavailable", reason: this.#reason };
    return { kind: this.#current ? "working" : "resting" };
  }

  async embed(
    texts: readonly string[],
    { urgent = false }: EmbedOptions = {},
  ): Promise<readonly Vector[] | undefined> {
    const [queue, most] = urgent ? [this.#urgent, MAX_URGENT] : [this.#waiting, MAX_WAITING];
    if (this.#reason !== undefined || queue.length + texts.length / TEXTS_AT_ONCE > most) return undefined;
    const pieces: Promise<readonly Vector[] | undefined>[] = [];
    for (let from = 0; from < texts.length; from += TEXTS_AT_ONCE) {
      const some = texts.slice(from, from + TEXTS_AT_ONCE).map((text) => text.slice(0, MAX_CHARS));
      pieces.push(new Promise((done) => queue.push({ texts: some, done })));
    }
    this.#next();
    const vectors = await Promise.all(pieces);
    return vectors.includes(undefined) ? undefined : vectors.flatMap((some) => some!);
  }

  async close(): Promise<void> {
    this.#unavailable("it was closed");
    await this.#endThread();
  }

  #next(): void {
    if (this.#current || this.#reason !== undefined) return;
    const piece = this.#urgent.shift() ?? this.#waiting.shift();
    if (!piece) {
      if (this.#thread) this.#after(this.#options.idleMs, () => void this.#endThread());
      return;
    }
    this.#thread ??= this.#start();
    const id = ++this.#lastId;
    this.#current = { id, piece };
    this.#after(this.#options.hungMs, () => this.#failed("it took too long"));
    this.#thread.post({ id, texts: piece.texts });
  }

  #start(): Thread {
    const thread: Thread = startThread(this.#options.worker, { folder: this.#options.folder }, (said) => {
      if (this.#thread !== thread) return;
      if ("failed" in said) this.#failed(said.failed);
      else if ("id" in said) this.#answered(said.id, said.vectors);
      else if (said.ready) this.#isReady = true;
      else this.#missing(said.reason);
    });
    this.#isReady = false;
    return thread;
  }

  #answered(id: number, vectors: readonly Vector[]): void {
    if (this.#current?.id !== id) return;
    const { done } = this.#current.piece;
    this.#current = undefined;
    this.#failures = 0;
    done(vectors);
    this.#next();
  }

  /** What the thread had before it is given up, the rest is for the next thread; one that did not even begin would not either. */
  #failed(reason: string): void {
    this.#failures += 1;
    this.#current?.piece.done(undefined);
    this.#current = undefined;
    void this.#endThread();
    if (!this.#isReady || this.#failures >= MAX_FAILURES) this.#missing(reason);
    else this.#next();
  }

  #missing(reason: string): void {
    this.#options.log.info({ reason }, "texts are compared by their words only: there is no embedder");
    this.#unavailable(reason);
    void this.#endThread();
  }

  #unavailable(reason: string): void {
    this.#reason ??= reason;
    const left = [...this.#urgent.splice(0), ...this.#waiting.splice(0)];
    if (this.#current) left.push(this.#current.piece);
    this.#current = undefined;
    for (const { done } of left) done(undefined);
  }

  #endThread(): Promise<void> {
    clearTimeout(this.#timer);
    const thread = this.#thread;
    this.#thread = undefined;
    if (thread) this.#ending = Promise.all([this.#ending, thread.end()]).then(() => undefined);
    return this.#ending;
  }

  #after(ms: number, work: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(work, ms).unref();
  }
}

interface Thread {
  post(message: ToWorker): void;
  /** Lets it give back what it has, for a while. */
  end(): Promise<void>;
}

function startThread(
  file: URL,
  setup: WorkerSetup,
  onSaid: (said: FromWorker | { readonly failed: string }) => void,
): Thread {
  const worker = new Worker(file, { workerData: setup, env: {}, execArgv: [] });
  const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  worker.unref();
  worker.on("message", onSaid);
  worker.on("error", (error) => onSaid({ failed: messageOf(error) }));
  worker.on("exit", (code) => onSaid({ failed: `its thread ended with ${code}` }));
  return {
    post: (message) => worker.postMessage(message),
    async end() {
      worker.postMessage("end" satisfies ToWorker);
      const timer = setTimeout(() => void worker.terminate(), ENDING_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}
