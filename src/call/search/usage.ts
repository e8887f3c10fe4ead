import type { Caller } from "../../contract/caller.ts";
import { messageOf } from "../../contract/errors.ts";
import { BoundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { termsOf } from "../../machine/text/analyser.ts";
import type { ToolUseTable } from "./tables.ts";

export interface ToolUsageDeps {
  /** Asked every time: nothing is noted or used while it is off. */
  readonly isOn: () => boolean;
  readonly store: Pick<ToolUseTable, "list" | "add">;
  /** Whose experience counts: an agent's own, shared with the agents that work for it. */
  readonly ownerOf: (caller: Caller) => string;
  /** Removes secrets from a query before any word of it is stored. */
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long it counts that a tool was called after a search, when it is not called again. */
export const TOOL_USE_KEPT_MS = 90 * 24 * 3_600_000;

/** What earlier calls add to a tool's score. */
export type Lift = (tool: string) => number;

/** About the worth of one rare word: experience decides close cases only. */
const MAX_LIFT = 6;
const MAX_TERMS = 16;
const MAX_QUERY = 2_000;
/** A call this long after a search is unrelated to it. */
const RELATED_MS = 30 * 60_000;
const MAX_SEARCHES = 4;
const MAX_CONVERSATIONS = 1_000;
const MAX_OWNERS = 200;
const MAX_USES = 2_000;
/** What another process stored is seen after this long. */
const FRESH_MS = 10 * 60_000;

interface Search {
  readonly terms: readonly string[];
  /** What it found and was not called since. */
  readonly found: Set<string>;
  readonly at: number;
}

/** How often each tool was called after a search with a term: tools and counts by term. */
type Uses = Map<string, Map<string, number>>;

/**
 * What agents called after which search. A call of a tool that a search of the same conversation had found counts once
 * for each word of that search, and lifts the tool a little when those words are searched again. Never fails: problems
 * are logged.
 */
export class ToolUsage {
  readonly #deps: ToolUsageDeps;
  /** Whether a call may follow a search; if not, `noteCall` need not be called. */
  hasRecentSearch = false;
  #searchedAt = 0;
  /** By agent and conversation. */
  readonly #searches = new BoundedMap<string, Search[]>(MAX_CONVERSATIONS, { drops: "least used" });
  readonly #owners: BoundedMap<string, Promise<Uses>>;
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: ToolUsageDeps) {
    this.#deps = deps;
    this.#owners = new BoundedMap(MAX_OWNERS, { maxAge: { ms: FRESH_MS, clock: deps.clock } });
  }

  /** Notes a search of the caller and the tools that it found. */
  noteSearch(caller: Caller, query: string, found: readonly string[]): void {
    if (!this.#countsFor(caller) || found.length === 0) return;
    const key = keyOf(caller);
    const before = this.#searches.get(key) ?? [];
    const search = { terms: this.#termsOf(query), found: new Set(found), at: this.#deps.clock() };
    this.#searches.set(key, [search, ...before].slice(0, MAX_SEARCHES));
    this.#searchedAt = search.at;
    this.hasRecentSearch = true;
  }

  /** Notes a call of the caller. */
  noteCall(caller: Caller, tool: string): void {
    if (!this.hasRecentSearch || !this.#countsFor(caller)) return;
    const since = this.#deps.clock() - RELATED_MS;
    if (this.#searchedAt < since) {
      this.hasRecentSearch = false;
      this.#searches.clear();
      return;
    }
    const search = this.#searches.get(keyOf(caller))?.find(({ found, at }) => at >= since && found.has(tool));
    if (!search) return;
    search.found.delete(tool);
    this.#note(this.#deps.ownerOf(caller), search.terms, tool);
  }

  /** The lift that the words of a query have earned by earlier calls. */
  async lift(caller: Caller, query: string): Promise<Lift | undefined> {
    if (!this.#countsFor(caller)) return undefined;
    const uses = await this.#usesOf(this.#deps.ownerOf(caller));
    const known = this.#termsOf(query).map((term) => uses.get(term));
    if (known.every((tools) => tools === undefined)) return undefined;
    return (tool) => {
      let sum = 0;
      for (const tools of known) {
        const count = tools?.get(tool) ?? 0;
        sum += count / (count + 1);
      }
      // Squared: matching half of the words says much less than half of what matching all does.
      return MAX_LIFT * (sum / known.length) ** 2;
    };
  }

  /** Waits until everything noted is stored. */
  async close(): Promise<void> {
    await this.#writing;
  }

  #countsFor(caller: Caller): boolean {
    return !caller.operator && this.#deps.isOn();
  }

  #termsOf(query: string): readonly string[] {
    const terms = termsOf(this.#deps.redact(query.slice(0, MAX_QUERY)));
    return [...new Set(terms)].slice(0, MAX_TERMS);
  }

  #note(owner: string, terms: readonly string[], tool: string): void {
    const { store, clock } = this.#deps;
    this.#writing = this.#writing
      .then(async () => {
        await store.add(owner, terms, tool, clock(), MAX_USES);
        const uses = await this.#owners.get(owner);
        if (uses) for (const term of terms) count(uses, term, tool, 1);
      })
      .catch((error) => this.#logFailure(error));
  }

  #usesOf(owner: string): Promise<Uses> {
    return this.#owners.getOrMake(owner, () => this.#read(owner));
  }

  async #read(owner: string): Promise<Uses> {
    const uses: Uses = new Map();
    try {
      const records = await this.#deps.store.list(owner, MAX_USES);
      for (const record of records) count(uses, record.term, record.tool, record.count);
    } catch (error) {
      this.#logFailure(error);
    }
    return uses;
  }

  #logFailure(error: unknown): void {
    this.#deps.log.warn(
      { cause: messageOf(error) },
      "tool-search: failed to read or store which tools were called after searches",
    );
  }
}

function keyOf({ agentId, conversation }: Caller): string {
  return `${agentId} ${conversation}`;
}

function count(uses: Uses, term: string, tool: string, more: number): void {
  const tools = uses.get(term) ?? new Map<string, number>();
  uses.set(term, tools);
  tools.set(tool, (tools.get(tool) ?? 0) + more);
}
