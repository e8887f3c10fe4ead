import { Worker } from "node:worker_threads";
import { messageOf } from "../../../../contract/errors.ts";
import type { Log } from "../../../../lib/log.ts";
import { WorkerThread } from "../../../../lib/worker-rpc.ts";
import { EMBED_LIMITS, embedInPieces, type Piece } from "../embed-pieces.ts";
import type { Embedder, EmbedderState, EmbedOptions, Vector } from "../embedder.ts";
import { DIMENSIONS, MODEL } from "./minilm.ts";
import type { EmbedderNotice, EmbedMethods, WorkerSetup } from "./minilm-worker.ts";

export interface LocalEmbedderOptions {
  /** The folder of the model. */
  readonly folder: string;
  readonly log: Log;
  /** The thread ends after this long without work, which frees its memory. */
  readonly idleMs?: number;
  /** A few texts that take longer than this have hung. */
  readonly hungMs?: number;
  /** The file that the thread runs. A build puts it next to this one. */
  readonly worker?: URL;
}

const USUAL = { idleMs: 5 * 60_000, hungMs: 60_000 };
const ENDING_MS = 2_000;
/** Few enough that an urgent text does not wait long. */
const TEXTS_AT_ONCE = 4;

/**
 * all-MiniLM-L6-v2 on this machine, in a thread that starts with the first text and ends when there is nothing to do. It keeps no process
 * alive. Without its packages, or after it has failed too often, it is unavailable, which is logged once.
 */
export class LocalEmbedder implements Embedder {
  readonly model = MODEL;
  readonly dimensions = DIMENSIONS;
  /** The result of `measureLikenessFloor`; a test compares the two. */
  readonly likenessFloor = 0.3;
  readonly #options: Required<LocalEmbedderOptions>;
  readonly #urgent: Piece[] = [];
  readonly #waiting: Piece[] = [];
  readonly #thread: WorkerThread<EmbedMethods>;
  /** The piece that the thread works on. */
  #current: Piece | undefined;
  #failures = 0;
  /** The thread has said that it can. */
  #isReady = false;
  #reason: string | undefined;

  constructor(options: LocalEmbedderOptions) {
    const worker = options.worker ?? new URL("./minilm-worker.js", import.meta.url);
    this.#options = { ...USUAL, worker, ...options };
    const { folder, idleMs } = this.#options;
    this.#thread = new WorkerThread({
      start: () => {
        this.#isReady = false;
        const workerData: WorkerSetup = { folder };
        return new Worker(this.#options.worker, { workerData, env: {}, execArgv: [] });
      },
      onNotice: (notice) => {
        const said = notice as EmbedderNotice;
        if (said.ready) this.#isReady = true;
        else this.#giveUp(said.reason);
      },
      ...{ idleMs, endingMs: ENDING_MS, keepsAlive: false },
    });
  }

  get state(): EmbedderState {
    if (this.#reason !== undefined) return { kind: "unavailable", reason: this.#reason };
    return { kind: this.#current ? "working" : "resting" };
  }

  async embed(
    texts: readonly string[],
    { urgent = false }: EmbedOptions = {},
  ): Promise<readonly Vector[] | undefined> {
    const [queue, most] = urgent
      ? [this.#urgent, EMBED_LIMITS.urgent]
      : [this.#waiting, EMBED_LIMITS.waiting];
    if (this.#reason !== undefined || queue.length + texts.length / TEXTS_AT_ONCE > most) return undefined;
    const shortened = texts.map((text) => text.slice(0, EMBED_LIMITS.chars));
    return embedInPieces(queue, shortened, TEXTS_AT_ONCE, () => this.#next());
  }

  async close(): Promise<void> {
    this.#becomeUnavailable("it was closed");
    await this.#thread.close();
  }

  #next(): void {
    if (this.#current || this.#reason !== undefined) return;
    const piece = this.#urgent.shift() ?? this.#waiting.shift();
    if (!piece) return;
    this.#current = piece;
    this.#thread.call("embed", [piece.texts], { timeoutMs: this.#options.hungMs }).then(
      (vectors) => this.#answered(piece, vectors),
      (error) => this.#failed(piece, messageOf(error)),
    );
  }

  #answered(piece: Piece, vectors: readonly Vector[]): void {
    if (this.#current !== piece) return;
    this.#current = undefined;
    this.#failures = 0;
    piece.done(vectors);
    this.#next();
  }

  /**
   * The current piece is given up; the others go to the next thread. A thread that failed to start is not started
   * again.
   */
  #failed(piece: Piece, reason: string): void {
    if (this.#current !== piece) return;
    this.#current = undefined;
    this.#failures += 1;
    piece.done(undefined);
    if (!this.#isReady || this.#failures >= EMBED_LIMITS.failures) this.#giveUp(reason);
    else this.#next();
  }

  #giveUp(reason: string): void {
    this.#options.log.info({ reason }, "texts are compared by their words only: there is no embedder");
    this.#becomeUnavailable(reason);
    void this.#thread.close();
  }

  #becomeUnavailable(reason: string): void {
    this.#reason ??= reason;
    const left = [...this.#urgent.splice(0), ...this.#waiting.splice(0)];
    if (this.#current) left.push(this.#current);
    this.#current = undefined;
    for (const { done } of left) done(undefined);
  }
}
