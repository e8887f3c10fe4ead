import { type EndTurn, FairQueue } from "../../lib/flow/fair-queue.ts";
import type { Stop } from "../../lib/flow/stop.ts";

/**
 * The turns of all calls that come in batches, of every agent. At most `limit()` are under way, and agents take turns
 * for what is free. An agent that has none under way gets one in any case: others may hold all of them for long.
 */
export class BatchTurns {
  readonly #queue: FairQueue;
  /** How many each agent has under way; an agent without any is not in here. */
  readonly #underWay = new Map<string, number>();

  constructor(limit: () => number) {
    this.#queue = new FairQueue(limit, Number.POSITIVE_INFINITY);
  }

  get underWay(): number {
    return [...this.#underWay.values()].reduce((sum, count) => sum + count, 0);
  }

  /** A turn, which whoever gets it ends; undefined when `stop` came first. */
  async enter(agent: string, stop: Stop): Promise<EndTurn | undefined> {
    if (stop.aborted) return undefined;
    if (!this.#underWay.has(agent)) {
      this.#queue.goOn();
      return this.#begin(agent, () => this.#queue.pause());
    }
    const turn = await this.#queue.enter(agent, stop);
    return turn.ok ? this.#begin(agent, turn.value) : undefined;
  }

  #begin(agent: string, end: EndTurn): EndTurn {
    this.#underWay.set(agent, (this.#underWay.get(agent) ?? 0) + 1);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      const left = this.#underWay.get(agent)! - 1;
      if (left > 0) this.#underWay.set(agent, left);
      else {
        this.#underWay.delete(agent);
        // Before the turn ends, so that it stays with an agent that has no other.
        this.#queue.hurry(agent);
      }
      end();
    };
  }
}
