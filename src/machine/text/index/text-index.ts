import { termsOf } from "../analyser.ts";
import { FieldIndex } from "./field-index.ts";
import type { Part } from "./part-statistics.ts";

/** One part of an indexed text. A term in a part of weight 3 counts as if it occurred three times. */
export interface WeightedText {
  readonly text: string;
  readonly weight: number;
}

export interface SearchOptions<Item = string> {
  /** The most hits that come back. */
  readonly limit: number;
  /** Only items that it accepts are ranked. Called for candidates only. */
  readonly accept?: (item: Item) => boolean;
  /**
   * Limits the texts that exist for the caller: the rarity of words and the lengths of texts are counted only in them.
   * Absent: all.
   */
  readonly known?: (item: Item) => boolean;
}

export interface Hit {
  readonly id: string;
  /** Comparable within one search only. */
  readonly score: number;
}

/** The usual constants of BM25: how soon repeats stop counting, and how much long texts are held back. */
const BM25 = { fields: [{ name: "text", weight: 1, b: 0.75 }], k1: 1.2, coverage: 0 };
/** The weight of completions of an unfinished word, and how many are tried. */
const PREFIX_WEIGHT = 0.4;
const SHORTEST_PREFIX = 3;
const MAX_ENDINGS = 32;
/** Only the first terms of a long query, such as a pasted page, are used. */
const MAX_QUERY_TERMS = 64;

/** Texts by id, ranked by BM25: a `FieldIndex` of one field that also finds words that were only begun. */
export class TextIndex {
  #index = new FieldIndex(BM25);
  readonly #ids = new Set<string>();
  /** All of it, until something changes. */
  #whole: Part | undefined;

  get size(): number {
    return this.#ids.size;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Adds a text, or replaces the one of this id. */
  put(id: string, text: string | readonly WeightedText[]): void {
    const parts = typeof text === "string" ? [{ text, weight: 1 }] : text;
    const terms = parts.flatMap((part) => {
      const own = termsOf(part.text);
      return Array.from({ length: part.weight }, () => own).flat();
    });
    this.#index.putTerms(id, [terms]);
    this.#ids.add(id);
    this.#whole = undefined;
  }

  /** Whether there was one. */
  delete(id: string): boolean {
    this.#whole = undefined;
    this.#ids.delete(id);
    return this.#index.delete(id);
  }

  clear(): void {
    this.#index = new FieldIndex(BM25);
    this.#ids.clear();
    this.#whole = undefined;
  }

  /**
   * The best matches of any term of the query, best first, equal ones by id. A term also finds longer words that begin with
   * it, which count less.
   */
  search(query: string, { limit, accept, known }: SearchOptions): Hit[] {
    this.#whole ??= partOf([...this.#ids]);
    const part = known ? partOf([...this.#ids].filter(known)) : this.#whole;
    const hits = this.#index.search(this.#sought(query, part), part, accept ? part.size : limit);
    if (known) this.#index.forget(part);
    const accepted = accept ? hits.filter(({ id }) => accept(id)).slice(0, Math.max(0, limit)) : hits;
    return accepted.map(({ id, score }) => ({ id, score }));
  }

  /** The terms to look for and what they are worth; of a term that several words of the query lead to, the most. */
  #sought(query: string, part: Part): Map<string, number> {
    const sought = new Map<string, number>();
    for (const term of new Set(termsOf(query).slice(0, MAX_QUERY_TERMS))) {
      sought.set(term, 1);
      for (const longer of this.#longer(term, part))
        if (!sought.has(longer)) sought.set(longer, PREFIX_WEIGHT);
    }
    return sought;
  }

  #longer(term: string, part: Part): string[] {
    if (term.length < SHORTEST_PREFIX) return [];
    return this.#index
      .termsLongerThan(term)
      .filter((longer) => this.#index.knows(longer, part))
      .sort()
      .slice(0, MAX_ENDINGS);
  }
}

function partOf(ids: readonly string[]): Part {
  return { size: ids.length, id: (at) => ids[at]! };
}
