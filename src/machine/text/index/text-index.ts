import { termsOf } from "../analyser.ts";

/** One part of what is indexed; a term in a part of weight 3 counts as if it stood there three times. */
export interface WeightedText {
  readonly text: string;
  readonly weight: number;
}

export interface SearchOptions {
  /** The most hits that come back. */
  readonly limit: number;
  /** Only what it accepts is ranked; asked for candidates only. */
  readonly accept?: (id: string) => boolean;
  /** What is there for whoever asks: how rare a word is, and how long texts are, is counted in it alone. Absent: everything. */
  readonly known?: (id: string) => boolean;
}

export interface Hit {
  readonly id: string;
  /** Comparable within one search only. */
  readonly score: number;
}

interface Entry {
  readonly id: string;
  /** Its place in the list of entries, by which the postings name it. */
  readonly slot: number;
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

/** Where a term stands, and how often. */
interface Postings {
  readonly slots: number[];
  readonly counts: number[];
}

/** What of the index a search knows of. */
interface KnownPart {
  readonly size: number;
  readonly totalLength: number;
  readonly has: (slot: number) => boolean;
}

/** The usual constants of BM25: how soon repeats stop counting, and how much long texts are held back. */
const K1 = 1.2;
const B = 0.75;
/** What the rest of a word that was only begun is worth, and how many ways to end it are tried. */
const PREFIX_WEIGHT = 0.4;
const SHORTEST_PREFIX = 3;
const MAX_ENDINGS = 32;
/** A query is a few words; of a pasted page the first ones must do. */
const MAX_QUERY_TERMS = 64;

/** Texts by id, ranked by BM25. In memory only; whoever fills it bounds it. */
export class TextIndex {
  readonly #byId = new Map<string, Entry>();
  /** With holes where something was deleted; they are filled first. */
  readonly #slots: (Entry | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #postings = new Map<string, Postings>();
  /** Every term, sorted; made anew when it is needed after they changed. */
  #vocabulary: string[] | undefined;
  #totalLength = 0;

  get size(): number {
    return this.#byId.size;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** Adds a text, or replaces the one of this id. */
  put(id: string, text: string | readonly WeightedText[]): void {
    this.delete(id);
    const counts = new Map<string, number>();
    let length = 0;
    for (const part of typeof text === "string" ? [{ text, weight: 1 }] : text) {
      for (const term of termsOf(part.text)) {
        counts.set(term, (counts.get(term) ?? 0) + part.weight);
        length += part.weight;
      }
    }
    const slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[slot] = { id, slot, counts, length };
    this.#byId.set(id, this.#slots[slot]);
    this.#totalLength += length;
    for (const [term, count] of counts) this.#post(term, slot, count);
  }

  /** Whether there was one. */
  delete(id: string): boolean {
    const entry = this.#byId.get(id);
    if (!entry) return false;
    this.#byId.delete(id);
    this.#slots[entry.slot] = undefined;
    this.#free.push(entry.slot);
    this.#totalLength -= entry.length;
    for (const term of entry.counts.keys()) this.#unpost(term, entry.slot);
    return true;
  }

  clear(): void {
    this.#byId.clear();
    this.#slots.length = 0;
    this.#free.length = 0;
    this.#postings.clear();
    this.#vocabulary = undefined;
    this.#totalLength = 0;
  }

  /**
   * The best matches of any term of the query, best first, equal ones by id. A term also finds longer words that begin with
   * it, which count less.
   */
  search(query: string, { limit, accept, known }: SearchOptions): Hit[] {
    const scores = new Float64Array(this.#slots.length);
    const part = this.#partOf(known);
    for (const [term, weight] of this.#sought(query, part)) this.#score(term, weight, part, scores);
    const best = new Best(limit);
    for (const [slot, score] of scores.entries()) {
      if (score === 0 || score < best.least) continue;
      const { id } = this.#slots[slot]!;
      if (accept?.(id) ?? true) best.add({ id, score });
    }
    return best.hits;
  }

  #partOf(known: ((id: string) => boolean) | undefined): KnownPart {
    if (!known) return { size: this.size, totalLength: this.#totalLength, has: () => true };
    const slots = new Uint8Array(this.#slots.length);
    let [size, totalLength] = [0, 0];
    for (const { id, slot, length } of this.#byId.values()) {
      if (!known(id)) continue;
      slots[slot] = 1;
      size += 1;
      totalLength += length;
    }
    return { size, totalLength, has: (slot) => slots[slot] === 1 };
  }

  /** The terms to look for and what they are worth; of a term that several words of the query lead to, the most. */
  #sought(query: string, part: KnownPart): Map<string, number> {
    const sought = new Map<string, number>();
    for (const term of new Set(termsOf(query).slice(0, MAX_QUERY_TERMS))) {
      sought.set(term, 1);
      for (const longer of this.#longer(term, part)) {
        if (!sought.has(longer)) sought.set(longer, PREFIX_WEIGHT);
      }
    }
    return sought;
  }

  #score(term: string, weight: number, { size, totalLength, has }: KnownPart, scores: Float64Array): void {
    const postings = this.#postings.get(term);
    if (!postings) return;
    const { slots, counts } = postings;
    let holders = 0;
    for (const slot of slots) if (has(slot)) holders += 1;
    const rarity = Math.log(1 + (size - holders + 0.5) / (holders + 0.5));
    const average = totalLength / size;
    for (let at = 0; at < slots.length; at++) {
      const slot = slots[at]!;
      if (!has(slot)) continue;
      const count = counts[at]!;
      const held = K1 * (1 - B + (B * this.#slots[slot]!.length) / average);
      scores[slot]! += (weight * rarity * count * (K1 + 1)) / (count + held);
    }
  }

  #longer(term: string, { has }: KnownPart): string[] {
    if (term.length < SHORTEST_PREFIX) return [];
    this.#vocabulary ??= [...this.#postings.keys()].sort();
    const found: string[] = [];
    for (let at = firstAfter(this.#vocabulary, term); found.length < MAX_ENDINGS; at++) {
      const candidate = this.#vocabulary[at];
      if (candidate === undefined || !candidate.startsWith(term)) break;
      if (this.#postings.get(candidate)!.slots.some(has)) found.push(candidate);
    }
    return found;
  }

  #post(term: string, slot: number, count: number): void {
    const known = this.#postings.get(term);
    if (known) {
      known.slots.push(slot);
      known.counts.push(count);
    } else {
      this.#postings.set(term, { slots: [slot], counts: [count] });
      this.#vocabulary = undefined;
    }
  }

  /** The last one takes its place: their order does not matter. */
  #unpost(term: string, slot: number): void {
    const { slots, counts } = this.#postings.get(term)!;
    const at = slots.lastIndexOf(slot);
    const [lastSlot, lastCount] = [slots.pop()!, counts.pop()!];
    if (at < slots.length) {
      slots[at] = lastSlot;
      counts[at] = lastCount;
    }
    if (slots.length > 0) return;
    this.#postings.delete(term);
    this.#vocabulary = undefined;
  }
}

/** The few best of many, kept in order. */
class Best {
  readonly hits: Hit[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = Math.max(0, Math.trunc(limit));
  }

  /** What has less than this will not be among them. */
  get least(): number {
    return this.hits.length < this.#limit ? 0 : (this.hits.at(-1)?.score ?? Number.POSITIVE_INFINITY);
  }

  add(hit: Hit): void {
    let at = this.hits.length;
    while (at > 0 && comesBefore(hit, this.hits[at - 1]!)) at -= 1;
    this.hits.splice(at, 0, hit);
    if (this.hits.length > this.#limit) this.hits.pop();
  }
}

function comesBefore(one: Hit, other: Hit): boolean {
  return one.score > other.score || (one.score === other.score && one.id < other.id);
}

/** The place of the first term that comes after `term` in sorted order. */
function firstAfter(sorted: readonly string[], term: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= term) low = middle + 1;
    else high = middle;
  }
  return low;
}
