import { createHash } from "node:crypto";
import { BoundedMap } from "../../../lib/bounded-map.ts";
import type { Clock } from "../../../lib/clock.ts";

/** How many different documents one agent is shown in a day (of UTC): by queries of filters alone, and in all. */
export const MAX_BY_FILTERS = 500;
export const MAX_SHOWN = 10_000;
const MAX_AGENTS = 500;
const DAY_MS = 86_400_000;

interface Shown {
  readonly day: number;
  /** Four bytes of a hash of each id. */
  readonly byFilters: Set<number>;
  readonly all: Set<number>;
}

/**
 * Counts the documents that each agent was shown today, so that no number of searches can list everything, for instance by
 * filters that go from date to date. Each process counts in its own memory.
 */
export class SearchBudget {
  readonly #clock: Clock;
  readonly #agents = new BoundedMap<string, Shown>(MAX_AGENTS, { drops: "least used" });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Why this search is refused; undefined if it is allowed. */
  refusal(agent: string, byFilters: boolean): string | undefined {
    const { byFilters: filtered, all } = this.#of(agent);
    if (all.size >= MAX_SHOWN)
      return `Searches showed you ${MAX_SHOWN} different documents today, which is the most; tomorrow (UTC) you may go on. get and get_chunk still work.`;
    if (byFilters && filtered.size >= MAX_BY_FILTERS)
      return `Filters alone showed you ${MAX_BY_FILTERS} different documents today, which is the most. Add words to look for.`;
    return undefined;
  }

  note(agent: string, byFilters: boolean, ids: readonly string[]): void {
    const { byFilters: filtered, all } = this.#of(agent);
    for (const id of ids) {
      const hash = createHash("sha256").update(id).digest().readUInt32LE(0) >>> 2;
      all.add(hash);
      if (byFilters) filtered.add(hash);
    }
  }

  #of(agent: string): Shown {
    const day = Math.floor(this.#clock() / DAY_MS);
    const known = this.#agents.get(agent);
    if (known?.day === day) return known;
    const shown = { day, byFilters: new Set<number>(), all: new Set<number>() };
    this.#agents.set(agent, shown);
    return shown;
  }
}
