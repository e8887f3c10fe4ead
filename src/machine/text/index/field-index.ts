import { Analyser } from "../analyser.ts";
import { Vocabulary } from "../vocabulary.ts";
import { BestHits } from "./best-hits.ts";
import { NumberLists } from "./number-lists.ts";
import { type Part, PartStatistics } from "./part-statistics.ts";
import { PostingLists } from "./posting-lists.ts";

/** One field of an indexed text. */
export interface Field {
  readonly name: string;
  /** The weight of its terms compared with those of other fields. */
  readonly weight: number;
  /** How much a long field is held back, from 0 to 1. */
  readonly b: number;
}

export interface FieldIndexOptions {
  /** At most six, because their counts share one number. `coverage` uses the first one. */
  readonly fields: readonly Field[];
  /** How soon repeats stop counting. */
  readonly k1: number;
  /** The bonus for a query that names every term of the first field. */
  readonly coverage: number;
}

/** A term to look for and what it is worth, 1 for one that was asked for. */
export type Sought = ReadonlyMap<string, number>;

export interface FieldHit {
  readonly id: string;
  /** Its place in the part. */
  readonly at: number;
  readonly score: number;
}

/** The contribution of one term to a score, and the fields that contain it. */
export interface TermShare {
  readonly term: string;
  readonly score: number;
  /** By name, in order. */
  readonly fields: readonly string[];
}

/** The parts of a score: its terms, best first, and the bonus of `coverage`. */
export interface FieldShares {
  readonly terms: readonly TermShare[];
  readonly coverage: number;
}

interface Entry {
  readonly id: string;
  readonly slot: number;
  /** How many of its terms stand in the first field. */
  readonly named: number;
}

/** The bits that count a term in one field. A single field has more. */
const BITS = 5;
const BITS_OF_ONE = 16;
const MAX_FIELDS = Math.floor(32 / BITS);
const LONGEST_FIELD = 2 ** 16 - 1;
/** The statistics of parts are kept while they have no more slots than this together. */
const MAX_KEPT_SLOTS = 4_000_000;

/**
 * Texts in several fields, ranked by BM25F. A search sees one part of it and ranks as an index of that part alone would: how
 * rare a word is and how long texts are is counted there, so that nothing can be learned of the rest. In memory only.
 */
export class FieldIndex {
  readonly #options: FieldIndexOptions;
  readonly #bits: number;
  readonly #most: number;
  readonly #analyser = new Analyser();
  readonly #vocabulary = new Vocabulary();
  /** By term number. */
  readonly #postings = new PostingLists();
  readonly #byId = new Map<string, Entry>();
  readonly #slots: (Entry | undefined)[] = [];
  readonly #free: number[] = [];
  /** The terms of each slot, without repeats, those of the first field first. */
  readonly #terms = new NumberLists();
  /** How many terms each field of a slot has. */
  #lengths = new Uint16Array(0);
  /** The least recently used first. */
  readonly #statistics = new Map<Part, PartStatistics>();
  /** Working memory by term number and by slot. All zeros between uses. */
  #counts = new Uint32Array(0);
  #scores = new Float32Array(0);
  #covered = new Float32Array(0);
  #found = new Uint32Array(0);

  constructor(options: FieldIndexOptions) {
    if (options.fields.length > MAX_FIELDS) throw new RangeError(`at most ${MAX_FIELDS} fields`);
    this.#options = options;
    this.#bits = options.fields.length === 1 ? BITS_OF_ONE : BITS;
    this.#most = 2 ** this.#bits - 1;
  }

  get size(): number {
    return this.#byId.size;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** The current sizes: slots of texts, numbers of terms, pairs of both, and terms of texts. */
  get room(): Readonly<Record<"slots" | "terms" | "postings" | "lists", number>> {
    const [postings, lists] = [this.#postings.room, this.#terms.room];
    return { slots: this.#slots.length, terms: this.#vocabulary.end, postings, lists };
  }

  /** Whether the term stands in the part. */
  knows(term: string, part: Part): boolean {
    const number = this.#vocabulary.find(term);
    return number !== undefined && this.#statisticsOf(part).rarity(number) > 0;
  }

  /** The terms of a length that begin with a letter and stand anywhere. */
  termsFrom(letter: string, length: number): Iterable<string> {
    return this.#vocabulary.termsFrom(letter, length);
  }

  /** The terms that begin with this one and stand anywhere, in no order. */
  termsLongerThan(term: string): string[] {
    return this.#vocabulary.longerThan(term);
  }

  /** Adds texts, one for each field in their order, or replaces those of this id. */
  put(id: string, texts: readonly string[]): void {
    this.putTerms(
      id,
      texts.map((text) => this.#analyser.termsOf(text)),
    );
  }

  /** Like `put`, for texts that were split into terms already. */
  putTerms(id: string, fields: readonly (readonly string[])[]): void {
    this.delete(id);
    const slot = this.#free.pop() ?? this.#slots.length;
    this.#makeRoom(slot);
    const numbers: number[] = [];
    let named = 0;
    for (const [field, terms] of fields.entries()) {
      this.#lengths[slot * this.#options.fields.length + field] = Math.min(terms.length, LONGEST_FIELD);
      for (const term of terms) this.#count(this.#vocabulary.numberOf(term), field, numbers);
      if (field === 0) named = numbers.length;
    }
    for (const number of numbers) {
      this.#postings.add(number, slot, this.#counts[number]!);
      this.#counts[number] = 0;
    }
    this.#terms.put(slot, numbers);
    const entry: Entry = { id, slot, named };
    this.#slots[slot] = entry;
    this.#byId.set(id, entry);
    this.#statistics.clear();
  }

  /** Whether there was one. */
  delete(id: string): boolean {
    const entry = this.#byId.get(id);
    if (!entry) return false;
    for (const number of this.#terms.get(entry.slot)) {
      this.#postings.remove(number, entry.slot);
      if (this.#postings.size(number) === 0) this.#vocabulary.letGo(number);
    }
    this.#terms.delete(entry.slot);
    this.#byId.delete(id);
    this.#slots[entry.slot] = undefined;
    this.#free.push(entry.slot);
    this.#statistics.clear();
    return true;
  }

  /** The best matches of any of the terms, best first, equal ones by id; then what of the places in `also` matches, too. */
  search(sought: Sought, part: Part, limit: number, also: readonly number[] = []): FieldHit[] {
    const statistics = this.#statisticsOf(part);
    let found = 0;
    for (const [term, worth] of sought) {
      const number = this.#vocabulary.find(term);
      if (number !== undefined) found = this.#score(number, worth, statistics, found);
    }
    const best = this.#best(found, statistics, limit);
    const others = also.length === 0 ? [] : this.#others(also, part, statistics, best);
    this.#clear(found);
    return [...best, ...others];
  }

  /** Drops the statistics of a part that is no longer used. */
  forget(part: Part): void {
    this.#statistics.delete(part);
  }

  /** Explains the scores of some texts by id, computed as in `search`. Texts without a match are left out. */
  explain(ids: readonly string[], sought: Sought, part: Part): ReadonlyMap<string, FieldShares> {
    const statistics = this.#statisticsOf(part);
    const entries = ids.flatMap((id) => this.#byId.get(id) ?? []);
    const shares = new Map(entries.map(({ id }) => [id, { terms: [] as TermShare[], coverage: 0 }]));
    for (const [term, worth] of sought) {
      const number = this.#vocabulary.find(term);
      if (number === undefined) continue;
      // One term at a time, by the same arithmetic.
      const found = this.#score(number, worth, statistics, 0);
      for (const { id, slot } of entries) {
        const score = this.#scores[slot]!;
        if (score === 0) continue;
        const share = shares.get(id)!;
        share.terms.push({ term, score, fields: this.#fieldsOf(number, slot) });
        share.coverage += this.#covered[slot]!;
      }
      this.#clear(found);
    }
    for (const { id, slot } of entries) {
      const share = shares.get(id)!;
      share.terms.sort((a, b) => b.score - a.score);
      if (share.terms.length === 0) shares.delete(id);
      else share.coverage = this.#coverageOf(share.coverage, slot, statistics);
    }
    return shares;
  }

  #fieldsOf(number: number, slot: number): string[] {
    const { fields } = this.#options;
    let packed = 0;
    this.#postings.visit(number, (data, from, to) => {
      for (let at = from; at < to; at += 2) if (data[at] === slot) packed = data[at + 1]!;
    });
    return fields
      .filter((_, field) => ((packed >>> (field * this.#bits)) & this.#most) > 0)
      .map(({ name }) => name);
  }

  #clear(found: number): void {
    for (let at = 0; at < found; at++) {
      const slot = this.#found[at]!;
      this.#scores[slot] = 0;
      this.#covered[slot] = 0;
    }
  }

  #score(number: number, worth: number, statistics: PartStatistics, foundBefore: number): number {
    const { fields, k1 } = this.#options;
    const [bits, most] = [this.#bits, this.#most];
    const { places, averages, isWhole } = statistics;
    const [scores, covered, lengths, foundSlots] = [this.#scores, this.#covered, this.#lengths, this.#found];
    const value = worth * statistics.rarity(number);
    let found = foundBefore;
    this.#postings.visit(number, (data, from, to) => {
      for (let at = from; at < to; at += 2) {
        const slot = data[at]!;
        if (!isWhole && places[slot] === 0) continue;
        let packed = data[at + 1]!;
        if (packed & most) covered[slot]! += value;
        let weight = 0;
        for (let field = 0; packed !== 0; field++, packed >>>= bits) {
          const times = packed & most;
          if (times === 0) continue;
          const { weight: fieldWeight, b } = fields[field]!;
          const length = lengths[slot * fields.length + field]!;
          weight += (fieldWeight * times) / (1 - b + (b * length) / averages[field]!);
        }
        if (scores[slot] === 0) foundSlots[found++] = slot;
        scores[slot]! += (value * weight * (k1 + 1)) / (weight + k1);
      }
    });
    return found;
  }

  #best(found: number, statistics: PartStatistics, limit: number): FieldHit[] {
    const idOf = (slot: number) => this.#slots[slot]!.id;
    const best = new BestHits(limit, (one, other) => idOf(one) < idOf(other));
    for (let at = 0; at < found; at++) {
      const slot = this.#found[at]!;
      best.add(slot, this.#scoreOf(slot, statistics));
    }
    return best
      .sorted()
      .map(({ item, score }) => ({ id: idOf(item), at: statistics.places[item]! - 1, score }));
  }

  #others(
    also: readonly number[],
    part: Part,
    statistics: PartStatistics,
    best: readonly FieldHit[],
  ): FieldHit[] {
    const taken = new Set(best.map(({ at }) => at));
    const others: FieldHit[] = [];
    for (const at of also) {
      const id = part.id(at);
      const slot = this.#byId.get(id)?.slot;
      if (slot === undefined || this.#scores[slot] === 0 || taken.has(at)) continue;
      others.push({ id, at, score: this.#scoreOf(slot, statistics) });
    }
    return others;
  }

  #scoreOf(slot: number, statistics: PartStatistics): number {
    return this.#scores[slot]! + this.#coverageOf(this.#covered[slot]!, slot, statistics);
  }

  #coverageOf(covered: number, slot: number, statistics: PartStatistics): number {
    const share = covered === 0 ? 0 : covered / statistics.namedRarity(slot);
    return this.#options.coverage * Math.min(1, share);
  }

  #statisticsOf(part: Part): PartStatistics {
    const known = this.#statistics.get(part);
    if (known) this.#statistics.delete(part);
    const statistics = known ?? this.#counted(part);
    this.#statistics.set(part, statistics);
    return statistics;
  }

  #counted(part: Part): PartStatistics {
    const most = Math.max(1, Math.floor(MAX_KEPT_SLOTS / Math.max(1, this.#slots.length)));
    for (const oldest of this.#statistics.keys()) {
      if (this.#statistics.size < most) break;
      this.#statistics.delete(oldest);
    }
    return new PartStatistics(part, this.#options.fields.length, {
      size: this.#byId.size,
      slots: this.#slots.length,
      terms: this.#vocabulary.end,
      lengths: this.#lengths,
      slotOf: (id) => this.#byId.get(id)?.slot,
      namedIn: (slot) => this.#terms.get(slot).subarray(0, this.#slots[slot]!.named),
      postings: this.#postings,
    });
  }

  #count(number: number, field: number, numbers: number[]): void {
    if (number >= this.#counts.length) this.#counts = larger(this.#counts, number);
    const packed = this.#counts[number]!;
    if (packed === 0) numbers.push(number);
    const shift = field * this.#bits;
    if (((packed >>> shift) & this.#most) < this.#most) this.#counts[number] = packed + 2 ** shift;
  }

  #makeRoom(slot: number): void {
    if (slot < this.#scores.length) return;
    this.#scores = larger(this.#scores, slot);
    this.#covered = larger(this.#covered, slot);
    this.#found = larger(this.#found, slot);
    this.#lengths = larger(this.#lengths, (slot + 1) * this.#options.fields.length);
  }
}

/** Returns a copy with room for `index` and half as much again. */
function larger<T extends Uint16Array | Uint32Array | Float32Array>(array: T, index: number): T {
  const copy = new (array.constructor as new (length: number) => T)(index + 1 + (index >> 1));
  copy.set(array);
  return copy;
}
