import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/clock.ts";
import { RecentRate } from "../../../lib/flow/recent-rate.ts";
import type { Log } from "../../../lib/log.ts";
import type { Embedder } from "../../../machine/text/meaning/embedder.ts";
import type { ChunkToEmbed, IndexWriter } from "../index/index-store.ts";
import { BackgroundWork } from "./background-work.ts";
import { embeddedText } from "./chunk-terms.ts";

export interface ChunkEmbeddingDeps {
  readonly writer: Pick<IndexWriter, "withoutVector" | "putVectors">;
  readonly embedder: Embedder;
  /** Read every time, because the setting can change. */
  readonly isOn: () => boolean;
  /** Runs work in one process at a time, see `Sharing.lead`. */
  readonly lead: (work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly retryMs?: number;
}

const CHUNKS_AT_ONCE = 64;
const RETRY_MS = 30_000;

/**
 * Embeds chunks in the background, oldest first. It starts when woken and stops when every chunk has a vector. Nothing
 * waits for it: until there are vectors, a search uses words alone.
 */
export class ChunkEmbedding extends BackgroundWork {
  readonly #deps: ChunkEmbeddingDeps;
  /** Every chunk up to this number has a vector. Numbers only grow, so no chunk is checked twice. */
  #done = 0;
  #model: string | undefined;
  #rate: RecentRate | undefined;

  constructor(deps: ChunkEmbeddingDeps) {
    super();
    this.#deps = deps;
  }

  /** Chunks per second, over the last seconds; undefined while it is idle. */
  get rate(): number | undefined {
    return this.#rate?.perSecond;
  }

  protected override canRun(): boolean {
    const { state } = this.#deps.embedder;
    return this.#deps.isOn() && (state.kind !== "unavailable" || this.#isLeftAlone());
  }

  #isLeftAlone(): boolean {
    const { state } = this.#deps.embedder;
    return state.kind === "unavailable" && state.isForNow === true;
  }

  protected async run(signal: AbortSignal): Promise<void> {
    const { lead, log, retryMs = RETRY_MS } = this.#deps;
    while (this.isDue && this.canRun() && !signal.aborted) {
      if (this.#isLeftAlone()) {
        await pause(retryMs, signal);
        continue;
      }
      this.isDue = false;
      try {
        await lead((leading) => this.#work(leading), signal);
        this.#rate = undefined;
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ cause: messageOf(error) }, "knowledge: embedding passages failed");
        this.isDue = true;
        this.#rate = undefined;
        await pause(retryMs, signal);
      }
    }
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { writer, embedder, isOn, clock } = this.#deps;
    let count = 0;
    // A new model starts from the beginning.
    if (this.#model !== embedder.model) this.#done = 0;
    this.#model = embedder.model;
    while (!signal.aborted && isOn()) {
      const chunks = await writer.withoutVector(embedder.model, this.#done, CHUNKS_AT_ONCE);
      if (chunks.length === 0) return;
      this.#rate ??= new RecentRate(clock());
      const vectors = await embedder.embed(chunks.map(textOf), { keep: false });
      if (signal.aborted) return;
      if (!vectors) {
        if (embedder.state.kind === "unavailable" && !this.#isLeftAlone()) return;
        throw new Error("the embedder gave no answer");
      }
      await writer.putVectors(
        embedder.model,
        chunks.map(({ no }, at) => ({ no, vector: bytesOf(vectors[at]!) })),
      );
      this.#done = chunks.at(-1)!.no;
      count += chunks.length;
      this.#rate.mark(clock(), count);
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => {});
}

function textOf({ title, headings, text }: ChunkToEmbed): string {
  return embeddedText(title, headings, text);
}

function bytesOf(vector: Int8Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}
