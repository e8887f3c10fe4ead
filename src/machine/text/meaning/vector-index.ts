import type { Part } from "../index/part-statistics.ts";
import { MAX_DIMENSIONS, type Vector } from "./embedder.ts";

export interface Near {
  /** Its place in the part. */
  readonly at: number;
  /** Cosine, from -1 to 1. */
  readonly similarity: number;
}

const BITS = 32;
const NOWHERE = -1;
/** The sums of `#distance` hold this many words: each byte of a sum gets 8 for a word. */
const WORDS_SUMMED = 31;

/**
 * Vectors by id, in one piece of memory. A search first compares codes of one bit for each number (which way it points) and then only the
 * nearest of those by the vectors themselves. What is near depends on nothing but the two vectors, so nothing can be learned of the rest.
 * The first vector says how many dimensions all have.
 */
export class VectorIndex {
  #dimensions = 0;
  #words = 0;
  readonly #slots = new Map<string, number>();
  readonly #free: number[] = [];
  #vectors = new Int8Array(0);
  #codes = new Uint32Array(0);
  #lengths = new Float32Array(0);
  /** The places of a part's vectors. Rebuilt when ids were added or removed. */
  #places = new WeakMap<Part, Int32Array>();
  #distances = new Uint16Array(0);

  get size(): number {
    return this.#slots.size;
  }

  has(id: string): boolean {
    return this.#slots.has(id);
  }

  /** Adds a vector, or replaces the one of this id. Throws a RangeError for one of another number of dimensions. */
  put(id: string, vector: Vector): void {
    if (this.#dimensions === 0) this.#begin(vector.length);
    if (vector.length !== this.#dimensions)
      throw new RangeError(`${this.#dimensions} dimensions, not ${vector.length}`);
    const known = this.#slots.get(id);
    const slot = known ?? this.#free.pop() ?? this.#slots.size;
    this.#makeRoom(slot);
    this.#vectors.set(vector, slot * this.#dimensions);
    this.#codes.set(codeOf(vector, this.#words), slot * this.#words);
    this.#lengths[slot] = lengthOf(vector);
    if (known !== undefined) return;
    this.#slots.set(id, slot);
    this.#places = new WeakMap();
  }

  delete(id: string): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    this.#slots.delete(id);
    this.#free.push(slot);
    this.#places = new WeakMap();
  }

  /** `limit` of the part that are nearest or some more, twice as many at most, in no order; all of it where it is no larger. */
  nearest(vector: Vector, part: Part, limit: number): Near[] {
    const places = this.#placesOf(part);
    const length = lengthOf(vector);
    const farthest = this.#farthest(codeOf(vector, this.#words), places, limit);
    const near: Near[] = [];
    // Up to twice as many are kept, because many may be equally far.
    for (let at = 0; at < places.length && near.length < 2 * limit; at++) {
      if (places[at] === NOWHERE || this.#distances[at]! > farthest) continue;
      near.push({ at, similarity: this.#similarity(vector, length, places[at]!) });
    }
    return near;
  }

  /** How near any place of the part is; undefined for one that has no vector. Holds until the index changes. */
  similarityTo(vector: Vector, part: Part): (at: number) => number | undefined {
    const places = this.#placesOf(part);
    const length = lengthOf(vector);
    return (at) => (places[at] === NOWHERE ? undefined : this.#similarity(vector, length, places[at]!));
  }

  /** The distance of codes within which at least `limit` of the places lie; notes all distances. */
  #farthest(code: Uint32Array, places: Int32Array, limit: number): number {
    if (this.#distances.length < places.length) this.#distances = new Uint16Array(places.length * 2);
    const counts = new Uint32Array(this.#words * BITS + 1);
    for (let at = 0; at < places.length; at++) {
      if (places[at] === NOWHERE) continue;
      const distance = this.#distance(code, places[at]!);
      this.#distances[at] = distance;
      counts[distance]! += 1;
    }
    let within = 0;
    for (const [distance, count] of counts.entries()) {
      within += count;
      if (within >= limit) return distance;
    }
    return counts.length;
  }

  #distance(code: Uint32Array, slot: number): number {
    const codes = this.#codes;
    const from = slot * this.#words;
    let distance = 0;
    for (let word = 0; word < code.length; ) {
      const end = Math.min(code.length, word + WORDS_SUMMED);
      // Four sums of bytes side by side, added up at the end.
      let sums = 0;
      for (; word < end; word++) {
        let bits = code[word]! ^ codes[from + word]!;
        bits -= (bits >>> 1) & 0x55555555;
        bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
        sums = (sums + ((bits + (bits >>> 4)) & 0x0f0f0f0f)) | 0;
      }
      distance += (sums & 0xff) + ((sums >>> 8) & 0xff) + ((sums >>> 16) & 0xff) + (sums >>> 24);
    }
    return distance;
  }

  #similarity(vector: Vector, length: number, slot: number): number {
    const vectors = this.#vectors;
    const from = slot * this.#dimensions;
    let product = 0;
    for (let at = 0; at < vector.length; at++) product += vector[at]! * vectors[from + at]!;
    const both = length * this.#lengths[slot]!;
    return both === 0 ? 0 : product / both;
  }

  #placesOf(part: Part): Int32Array {
    const known = this.#places.get(part);
    if (known) return known;
    const places = new Int32Array(part.size);
    for (let at = 0; at < part.size; at++) places[at] = this.#slots.get(part.id(at)) ?? NOWHERE;
    this.#places.set(part, places);
    return places;
  }

  #begin(dimensions: number): void {
    if (dimensions > MAX_DIMENSIONS) throw new RangeError(`at most ${MAX_DIMENSIONS} dimensions`);
    this.#dimensions = dimensions;
    this.#words = Math.ceil(dimensions / BITS);
  }

  #makeRoom(slot: number): void {
    if (slot < this.#lengths.length) return;
    const room = Math.max(64, Math.ceil(slot * 1.5));
    const [vectors, codes, lengths] = [this.#vectors, this.#codes, this.#lengths];
    this.#vectors = new Int8Array(room * this.#dimensions);
    this.#codes = new Uint32Array(room * this.#words);
    this.#lengths = new Float32Array(room);
    this.#vectors.set(vectors);
    this.#codes.set(codes);
    this.#lengths.set(lengths);
  }
}

/** A bit for each number: whether it is above zero. */
function codeOf(vector: Vector, words: number): Uint32Array {
  const code = new Uint32Array(words);
  for (let at = 0; at < vector.length; at++) if (vector[at]! > 0) code[at >>> 5]! |= 1 << (at & 31);
  return code;
}

function lengthOf(vector: Vector): number {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return Math.sqrt(sum);
}
