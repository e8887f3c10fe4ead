import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../contract/errors.ts";
import type { Log } from "../../../lib/log.ts";
import type { IndexWriter } from "../index/index-store.ts";
import { BackgroundWork } from "./background-work.ts";

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
export class IndexSweeping extends BackgroundWork {
  readonly #deps: IndexSweepingDeps;

  constructor(deps: IndexSweepingDeps) {
    super();
    this.#deps = deps;
  }

  protected async run(signal: AbortSignal): Promise<void> {
    const { lead, log, quietMs = QUIET_MS } = this.#deps;
    try {
      while (this.isDue) {
        await delay(quietMs, undefined, { signal, ref: false });
        this.isDue = false;
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
