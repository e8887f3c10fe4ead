import type { PostingLists } from "./posting-lists.ts";

/** The part of an index that a search may know about. Everything else does not exist for it. Never changes. */
export interface Part {
  readonly size: number;
  /** The id at a place from 0 on, in the index or not. */
  readonly id: (at: number) => string;
}

/** The indexed data, as far as statistics need it. */
export interface Counted {
  readonly size: number;
  /** One more than the highest slot. */
  readonly slots: number;
  /** One more than the highest number of a term. */
  readonly terms: number;
  slotOf(id: string): number | undefined;
  /** How many terms each field of a slot has, one after another from `slot` times the number of fields on. */
  readonly lengths: Uint16Array;
  /** The numbers of the terms of the first field, without repeats. */
  namedIn(slot: number): Uint32Array;
  readonly postings: Pick<PostingLists, "size" | "visit">;
}

/** Statistics of a part of an index, counted in that part only. Valid until the index changes. */
export class PartStatistics {
  /** How long each field is in the mean. */
  readonly averages: readonly number[];
  /** By slot: its position in the part plus one, 0 if it is not in it. */
  readonly places: Uint32Array;
  /** The part is the whole index, so no slot has to be checked. */
  readonly isWhole: boolean;
  readonly #size: number;
  readonly #index: Counted;
  /** How rare each term is here, by its number: 0 where it does not stand here, NaN until it is asked for. */
  readonly #rarity: Float32Array;
  /** The rarities of the terms of the first field together, by slot; NaN until it is asked for. */
  readonly #named: Float32Array;

  constructor(part: Part, fields: number, index: Counted) {
    this.#index = index;
    this.places = new Uint32Array(index.slots);
    const sums = Array.from({ length: fields }, () => 0);
    let size = 0;
    for (let at = 0; at < part.size; at++) {
      const slot = index.slotOf(part.id(at));
      if (slot === undefined || this.places[slot] !== 0) continue;
      this.places[slot] = at + 1;
      size += 1;
      for (let field = 0; field < fields; field++) sums[field]! += index.lengths[slot * fields + field]!;
    }
    this.#size = size;
    this.isWhole = size === index.size;
    this.averages = sums.map((sum) => Math.max(1e-9, sum / Math.max(1, size)));
    this.#rarity = new Float32Array(index.terms).fill(Number.NaN);
    this.#named = new Float32Array(index.slots).fill(Number.NaN);
  }

  /** Higher the fewer texts have the term; 0 if none has it. */
  rarity(number: number): number {
    const known = this.#rarity[number]!;
    if (!Number.isNaN(known)) return known;
    const holders = this.#holders(number);
    this.#rarity[number] = holders === 0 ? 0 : Math.log(1 + (this.#size - holders + 0.5) / (holders + 0.5));
    return this.#rarity[number];
  }

  /** That of all terms of the first field together. */
  namedRarity(slot: number): number {
    const known = this.#named[slot]!;
    if (!Number.isNaN(known)) return known;
    let sum = 0;
    for (const number of this.#index.namedIn(slot)) sum += this.rarity(number);
    this.#named[slot] = sum;
    return this.#named[slot];
  }

  #holders(number: number): number {
    const { postings } = this.#index;
    if (this.isWhole) return postings.size(number);
    const { places } = this;
    let holders = 0;
    postings.visit(number, (data, from, to) => {
      for (let at = from; at < to; at += 2) if (places[data[at]!] !== 0) holders += 1;
    });
    return holders;
  }
}
