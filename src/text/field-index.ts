import { termsOf } from "./analyser.ts";

/** One field of what is indexed. */
export interface Field {
  readonly name: string;
  /** What a term in it is worth beside one in another field. */
  readonly weight: number;
  /** How much a long field is held back, from 0 to 1. */
  readonly b: number;
}

export interface FieldIndexOptions {
  /** At most six: their counts share one number. The first one is what `coverage` looks at. */
  readonly fields: readonly Field[];
  /** How soon repeats stop counting. */
  readonly k1: number;
  /** What a query that names every term of the first field adds. */
  readonly coverage: number;
}

/** What of the index a search may know of. Everything else is to it as if it had never been put in. */
export interface Part {
  readonly has: (id: string) => boolean;
}

/** A term to look for and what it is worth, 1 for one that was asked for. */
export type Sought = ReadonlyMap<string, number>;

export interface FieldHit {
  readonly id: string;
  readonly score: number;
}

interface Entry {
  readonly id: string;
  readonly slot: number;
  readonly terms: readonly number[];
  /** Of the first field, without repeats. */
  readonly named: readonly number[];
  readonly lengths: readonly number[];
}

/** Where a term stands: pairs of a slot and the packed counts of its fields. */
interface Postings {
  readonly term: string;
  data: Uint32Array;
  used: number;
}

/** What a part of the index looks like, worked out once. */
interface Statistics {
  readonly accepted: Uint8Array;
  readonly size: number;
  readonly averages: readonly number[];
  /** How rare each term is here, by its number; NaN until it is asked for. */
  readonly rarity: Float32Array;
  /** The rarities of the terms of the first field together, by slot; NaN until it is asked for. */
  readonly named: Float32Array;
}

const BITS = 5;
const MOST = 2 ** BITS - 1;
const MAX_FIELDS = Math.floor(32 / BITS);

/**
 * Texts in several fields, ranked by BM25F. A search sees one part of it and ranks as an index of that part alone would: how
 * rare a word is and how long texts are is counted there, so that nothing can be learned of the rest. In memory only.
 */
export class FieldIndex {
  readonly #options: FieldIndexOptions;
  readonly #byId = new Map<string, Entry>();
  readonly #slots: (Entry | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #numbers = new Map<string, number>();
  /** Terms by their first letter and their length, for whoever looks for one that was mistyped. */
  readonly #byStart = new Map<string, Map<number, Set<string>>>();
  readonly #postings: Postings[] = [];
  /** Numbers of terms that stand nowhere any more. */
  readonly #unused: number[] = [];
  #statistics = new WeakMap<Part, Statistics>();
  #scores = new Float32Array(0);
  #covered = new Float32Array(0);
  #found = new Uint32Array(0);

  constructor(options: FieldIndexOptions) {
    if (options.fields.length > MAX_FIELDS) throw new RangeError(`at most ${MAX_FIELDS} fields`);
    this.#options = options;
  }

  get size(): number {
    return this.#byId.size;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** Whether the term stands in the part. */
  knows(term: string, part: Part): boolean {
    const number = this.#numbers.get(term);
    if (number === undefined) return false;
    const { accepted } = this.#statisticsOf(part);
    const { data, used } = this.#postings[number]!;
    for (let at = 0; at < used; at += 2) if (accepted[data[at]!] === 1) return true;
    return false;
  }

  /** The terms of a length that begin with a letter and stand anywhere. */
  termsFrom(letter: string, length: number): Iterable<string> {
    return this.#byStart.get(letter)?.get(length) ?? [];
  }

  /** Adds texts, one for each field in their order, or replaces those of this id. */
  put(id: string, texts: readonly string[]): void {
    this.delete(id);
    const slot = this.#free.pop() ?? this.#slots.length;
    const counts = new Map<number, number>();
    const lengths: number[] = [];
    let named: readonly number[] = [];
    for (const [field, text] of texts.entries()) {
      const terms = termsOf(text);
      lengths.push(terms.length);
      for (const term of terms) count(counts, this.#numberOf(term), field);
      if (field === 0) named = [...counts.keys()];
    }
    for (const [number, packed] of counts) append(this.#postings[number]!, slot, packed);
    const entry = { id, slot, terms: [...counts.keys()], named, lengths };
    this.#slots[slot] = entry;
    this.#byId.set(id, entry);
    this.#statistics = new WeakMap();
  }

  /** Whether there was one. */
  delete(id: string): boolean {
    const entry = this.#byId.get(id);
    if (!entry) return false;
    for (const number of entry.terms) this.#remove(number, entry.slot);
    this.#byId.delete(id);
    this.#slots[entry.slot] = undefined;
    this.#free.push(entry.slot);
    this.#statistics = new WeakMap();
    return true;
  }

  /** The best matches of any of the terms, best first, equal ones by id. */
  search(sought: Sought, part: Part, limit: number): FieldHit[] {
    const statistics = this.#statisticsOf(part);
    this.#makeRoom();
    let found = 0;
    for (const [term, worth] of sought) {
      const number = this.#numbers.get(term);
      if (number !== undefined) found = this.#score(number, worth, statistics, found);
    }
    const best = this.#best(found, statistics, limit);
    for (let at = 0; at < found; at++) {
      const slot = this.#found[at]!;
      this.#scores[slot] = 0;
      this.#covered[slot] = 0;
    }
    return best;
  }

  #score(number: number, worth: number, statistics: Statistics, foundBefore: number): number {
    const { fields, k1 } = this.#options;
    const { accepted, averages } = statistics;
    const { data, used } = this.#postings[number]!;
    const value = worth * this.#rarityOf(number, statistics);
    let found = foundBefore;
    for (let at = 0; at < used; at += 2) {
      const slot = data[at]!;
      if (accepted[slot] === 0) continue;
      const { lengths } = this.#slots[slot]!;
      let packed = data[at + 1]!;
      if (packed & MOST) this.#covered[slot]! += value;
      let weight = 0;
      for (let field = 0; packed !== 0; field++, packed >>>= BITS) {
        const times = packed & MOST;
        if (times === 0) continue;
        const { weight: fieldWeight, b } = fields[field]!;
        weight += (fieldWeight * times) / (1 - b + (b * lengths[field]!) / averages[field]!);
      }
      if (this.#scores[slot] === 0) this.#found[found++] = slot;
      this.#scores[slot]! += (value * weight * (k1 + 1)) / (weight + k1);
    }
    return found;
  }

  #best(found: number, statistics: Statistics, limit: number): FieldHit[] {
    const best: FieldHit[] = [];
    const { coverage } = this.#options;
    for (let at = 0; at < found; at++) {
      const slot = this.#found[at]!;
      const share =
        this.#covered[slot] === 0 ? 0 : this.#covered[slot]! / this.#namedRarity(slot, statistics);
      const score = this.#scores[slot]! + coverage * Math.min(1, share);
      const last = best[limit - 1];
      if (last && score < last.score) continue;
      insert(best, { id: this.#slots[slot]!.id, score }, limit);
    }
    return best;
  }

  #statisticsOf(part: Part): Statistics {
    const known = this.#statistics.get(part);
    if (known) return known;
    const accepted = new Uint8Array(this.#slots.length);
    const sums = this.#options.fields.map(() => 0);
    let size = 0;
    for (const [id, { slot, lengths }] of this.#byId) {
      if (!part.has(id)) continue;
      accepted[slot] = 1;
      size += 1;
      for (let field = 0; field < sums.length; field++) sums[field]! += lengths[field]!;
    }
    const statistics: Statistics = {
      accepted,
      size,
      averages: sums.map((sum) => Math.max(1e-9, sum / Math.max(1, size))),
      rarity: new Float32Array(this.#postings.length).fill(Number.NaN),
      named: new Float32Array(this.#slots.length).fill(Number.NaN),
    };
    this.#statistics.set(part, statistics);
    return statistics;
  }

  #rarityOf(number: number, { accepted, size, rarity }: Statistics): number {
    const known = rarity[number]!;
    if (!Number.isNaN(known)) return known;
    const { data, used } = this.#postings[number]!;
    let holders = 0;
    for (let at = 0; at < used; at += 2) holders += accepted[data[at]!]!;
    rarity[number] = Math.log(1 + (size - holders + 0.5) / (holders + 0.5));
    return rarity[number];
  }

  #namedRarity(slot: number, statistics: Statistics): number {
    const known = statistics.named[slot]!;
    if (!Number.isNaN(known)) return known;
    const rarities = this.#slots[slot]!.named.map((number) => this.#rarityOf(number, statistics));
    statistics.named[slot] = rarities.reduce((sum, rarity) => sum + rarity, 0);
    return statistics.named[slot];
  }

  #makeRoom(): void {
    if (this.#scores.length >= this.#slots.length) return;
    const room = this.#slots.length + (this.#slots.length >> 1);
    this.#scores = new Float32Array(room);
    this.#covered = new Float32Array(room);
    this.#found = new Uint32Array(room);
  }

  #numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#unused.pop() ?? this.#postings.length;
    this.#numbers.set(term, number);
    const lengths = emplace(this.#byStart, term[0]!, () => new Map<number, Set<string>>());
    emplace(lengths, term.length, () => new Set<string>()).add(term);
    this.#postings[number] = { term, data: new Uint32Array(2), used: 0 };
    return number;
  }

  #remove(number: number, slot: number): void {
    const postings = this.#postings[number]!;
    remove(postings, slot);
    if (postings.used > 0) return;
    const { term } = postings;
    this.#numbers.delete(term);
    this.#byStart.get(term[0]!)?.get(term.length)?.delete(term);
    this.#unused.push(number);
  }
}

function emplace<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

function count(counts: Map<number, number>, number: number, field: number): void {
  const packed = counts.get(number) ?? 0;
  const shift = field * BITS;
  if (((packed >>> shift) & MOST) === MOST) return;
  counts.set(number, (packed + 2 ** shift) >>> 0);
}

function append(postings: Postings, slot: number, packed: number): void {
  if (postings.used === postings.data.length) {
    const larger = new Uint32Array(postings.data.length * 2);
    larger.set(postings.data);
    postings.data = larger;
  }
  postings.data[postings.used++] = slot;
  postings.data[postings.used++] = packed;
}

/** The last one takes its place: their order does not matter. */
function remove(postings: Postings, slot: number): void {
  const { data } = postings;
  let at = 0;
  while (data[at] !== slot) at += 2;
  postings.used -= 2;
  data[at] = data[postings.used]!;
  data[at + 1] = data[postings.used + 1]!;
}

function insert(best: FieldHit[], hit: FieldHit, limit: number): void {
  let at = best.length;
  while (at > 0 && comesBefore(hit, best[at - 1]!)) at -= 1;
  best.splice(at, 0, hit);
  if (best.length > limit) best.pop();
}

function comesBefore(one: FieldHit, other: FieldHit): boolean {
  return one.score > other.score || (one.score === other.score && one.id < other.id);
}
