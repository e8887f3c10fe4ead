import type { Caller } from "../../contract/caller.ts";
import { messageOf } from "../../contract/errors.ts";
import { BoundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { ToolUseStore } from "../../machine/db/tables/calls/tool-use-record.ts";
import { termsOf } from "../../machine/text/analyser.ts";

export interface ToolUsageDeps {
  /** Asked anew every time: nothing is noted or used while it is off. */
  readonly isOn: () => boolean;
  readonly store: ToolUseStore;
  /** Whose experience it is: an agent's own, shared with those that work for it. */
  readonly ownerOf: (caller: Caller) => string;
  /** Takes secrets out of a query before a word of it is kept. */
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a tool's score gains by what was called before. */
export type Lift = (tool: string) => number;

/** At most about what one rare word is worth: experience settles what is close, it does not decide. */
const MOST = 6;
const MAX_TERMS = 16;
const MAX_QUERY = 2_000;
/** A call so long after a search has nothing to do with it. */
const RELATED_MS = 30 * 60_000;
const SEARCHES_KEPT = 4;
const CONVERSATIONS_KEPT = 1_000;
const OWNERS_KEPT = 200;
const USES_KEPT = 2_000;
/** What another process noted is seen after this long. */
const FRESH_MS = 10 * 60_000;

interface Search {
  readonly terms: readonly string[];
  /** What it found and was not called since. */
  readonly found: Set<string>;
  readonly at: number;
}

/** How often each tool was called after a search with a term. */
type Uses = Map<string, Map<string, number>>;

/**
 * What agents called after which search. A call of a tool that a search of the same conversation had found counts once for each word of
 * that search, and lifts the tool a little where those words are asked for again. Never fails: what cannot be kept is logged.
 */
export class ToolUsage {
  readonly #deps: ToolUsageDeps;
  /** Whether a call may follow a search: while nobody searches, none has to be told. */
  isWaiting = false;
  #searchedAt = 0;
  /** By agent and conversation. */
  readonly #searches = new BoundedMap<string, Search[]>(CONVERSATIONS_KEPT, { drops: "least used" });
  readonly #owners: BoundedMap<string, Promise<Uses>>;
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: ToolUsageDeps) {
    this.#deps = deps;
    this.#owners = new BoundedMap(OWNERS_KEPT, { maxAge: { ms: FRESH_MS, clock: deps.clock } });
  }

  /** A search of the caller's was answered with these tools. */
  searched(caller: Caller, query: string, found: readonly string[]): void {
    if (!this.#isFor(caller) || found.length === 0) return;
    const key = keyOf(caller);
    const before = this.#searches.get(key) ?? [];
    const search = { terms: this.#termsOf(query), found: new Set(found), at: this.#deps.clock() };
    this.#searches.set(key, [search, ...before].slice(0, SEARCHES_KEPT));
    this.#searchedAt = search.at;
    this.isWaiting = true;
  }

  /** The caller calls a tool. */
  called(caller: Caller, tool: string): void {
    if (!this.isWaiting || !this.#isFor(caller)) return;
    const since = this.#deps.clock() - RELATED_MS;
    if (this.#searchedAt < since) {
      this.isWaiting = false;
      this.#searches.clear();
      return;
    }
    const search = this.#searches.get(keyOf(caller))?.find(({ found, at }) => at >= since && found.has(tool));
    if (!search) return;
    search.found.delete(tool);
    this.#note(this.#deps.ownerOf(caller), search.terms, tool);
  }

  /** What the words of a query have led to before. */
  async lift(caller: Caller, query: string): Promise<Lift | undefined> {
    if (!this.#isFor(caller)) return undefined;
    const uses = await this.#usesOf(this.#deps.ownerOf(caller));
    const known = this.#termsOf(query).map((term) => uses.get(term));
    if (known.every((tools) => tools === undefined)) return undefined;
    return (tool) => {
      let sum = 0;
      for (const tools of known) {
        const count = tools?.get(tool) ?? 0;
        sum += count / (count + 1);
      }
      // Squared: half of the words say much less than half of what all of them do.
      return MOST * (sum / known.length) ** 2;
    };
  }

  /** What was noted is kept. */
  async close(): Promise<void> {
    await this.#writing;
  }

  #isFor(caller: Caller): boolean {
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
        await store.add(owner, terms, tool, clock(), USES_KEPT);
        const uses = await this.#owners.get(owner);
        if (uses) for (const term of terms) count(uses, term, tool, 1);
      })
      .catch((error) => this.#failed(error));
  }

  #usesOf(owner: string): Promise<Uses> {
    return this.#owners.getOrMake(owner, () => this.#read(owner));
  }

  async #read(owner: string): Promise<Uses> {
    const uses: Uses = new Map();
    try {
      const records = await this.#deps.store.list(owner, USES_KEPT);
      for (const record of records) count(uses, record.term, record.tool, record.count);
    } catch (error) {
      this.#failed(error);
    }
    return uses;
  }

  #failed(error: unknown): void {
    this.#deps.log.warn({ cause: messageOf(error) }, "what tools were called for could not be kept or read");
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
