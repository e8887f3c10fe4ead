import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../contract/errors.ts";
import type { Log } from "../../../lib/log.ts";
import type { IndexWriter } from "../../../machine/db/tables/knowledge-index/index-store.ts";

export interface IndexSweepingDeps {
  readonly writer: Pick<IndexWriter, "sweep">;
  /** Runs work in one process at a time, see `Sharing.lead`. */
  readonly lead: (work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
  /** How long after it was woken it looks for something to do. */
  readonly quietMs?: number;
  /** How long searches have to end that began before it knew what is dead. */
  readonly settleMs?: number;
}

const QUIET_MS = 5_000;
const SETTLE_MS = 2_000;
const LEAST_PAUSE_MS = 5;

/**
 * Takes out what is left in the index of passages that are gone, in the background and in small steps: after each it rests as long as the step took,
 * so that whoever else writes comes in between. What it leaves undone goes on when it is woken the next time.
 */
export class IndexSweeping {
  readonly #deps: IndexSweepingDeps;
  readonly #stop = new AbortController();
  #working: Promise<void> | undefined;
  /** Something may have gone since the last look. */
  #isDue = false;

  constructor(deps: IndexSweepingDeps) {
    this.#deps = deps;
  }

  /** There may be something to do. */
  wake(): void {
    this.#isDue = true;
    if (this.#working || this.#stop.signal.aborted) return;
    this.#working = this.#run().finally(() => {
      this.#working = undefined;
      if (this.#isDue) this.wake();
    });
  }

  /** Resolves when there is nothing left to do, or nothing can be done. */
  async rest(): Promise<void> {
    while (this.#working) await this.#working;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#working;
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { lead, log, quietMs = QUIET_MS } = this.#deps;
    const { signal } = this.#stop;
    try {
      while (this.#isDue) {
        await delay(quietMs, undefined, { signal, ref: false });
        this.#isDue = false;
        await lead((leading) => this.#work(leading), signal);
      }
    } catch (error) {
      if (!signal.aborted) log.warn({ cause: messageOf(error) }, "the index could not be swept");
    }
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { writer, settleMs = SETTLE_MS } = this.#deps;
    while (!signal.aborted) {
      const began = performance.now();
      const step = await writer.sweep();
      if (step === "nothing" || step === "ended") return;
      const pause = step === "begun" ? settleMs : Math.max(LEAST_PAUSE_MS, performance.now() - began);
      await delay(pause, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}
