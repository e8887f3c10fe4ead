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
  /** The delay between waking it and its first check. */
  readonly quietMs?: number;
  /** How long it waits for searches that started before it knew which chunks are dead. */
  readonly settleMs?: number;
}

const QUIET_MS = 5_000;
const SETTLE_MS = 2_000;
const LEAST_PAUSE_MS = 5;

/**
 * Removes remains of deleted passages from the index, in the background and in small steps. After each step it pauses as
 * long as the step took, so that other writers get their turn. Unfinished work continues when it is woken again.
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
      if (!signal.aborted) log.warn({ cause: messageOf(error) }, "knowledge: sweeping the index failed");
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
