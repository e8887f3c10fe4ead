import { createPace } from "../../../lib/flow/pace.ts";
import { BestHits } from "../../../machine/text/index/best-hits.ts";
import type { Vector } from "../../../machine/text/meaning/embedder.ts";
import type { ChangePlace, IndexReader } from "../index/index-store.ts";
import { WholeVectors } from "./whole-vectors.ts";

const AT_ONCE = 4_096;
const BITS = 32;
const NOWHERE: ChangePlace = { revision: 0, no: 0 };
/** How many times more candidates are found by codes than are wanted; the best of them are then compared more precisely. */
const CODES_FOR_EACH = 10;
/** The most bytes of whole vectors kept in memory: 20,000 vectors of 384 dimensions. */
const MAX_WHOLE_BYTES = 20_000 * 384;

/**
 * Vectors of the index in memory. A small number is kept whole, and the nearest are exact. Beyond that only one bit per
 * dimension is kept, which is enough to find candidates: a million chunks take 48 MB and some tens of milliseconds to scan.
 * The vectors themselves stay in the index.
 */
export class VectorMirror {
  readonly #reader: IndexReader;
  #model: string | null = null;
  #place = NOWHERE;
  #words = 0;
  #codes = new Uint32Array(0);
  /** By chunk number: 1 if there is a vector. */
  #has = new Uint8Array(0);
  #distances = new Uint16Array(0);
  /** Undefined once there are too many. */
  #whole: WholeVectors | undefined;
  readonly #maxWholeBytes: number;
  #loading: Promise<void> | undefined;
  #count = 0;

  constructor(reader: IndexReader, maxWholeBytes = MAX_WHOLE_BYTES) {
    this.#reader = reader;
    this.#maxWholeBytes = maxWholeBytes;
  }

  /** The number of codes, including those of deleted chunks. */
  get count(): number {
    return this.#count;
  }

  has(chunk: number): boolean {
    return this.#has[chunk] === 1;
  }

  /** Whether similarities are exact cosines, not estimates from codes. */
  get isExact(): boolean {
    return this.#whole !== undefined;
  }

  /** Reads new vectors in slices, between which searches can run. */
  catchUp(model: string | null): Promise<void> {
    this.#loading ??= this.#work(model).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** The most similar of those that `accept` allows, best first. */
  nearest(query: Vector, end: number, limit: number, accept: (chunk: number) => boolean): number[] {
    if (this.#count === 0 || wordsFor(query.length) !== this.#words) return [];
    const last = Math.min(end, this.#has.length);
    if (this.#whole) return this.#nearestExactly(query, last, limit, accept);
    if (this.#distances.length < last) this.#distances = new Uint16Array(this.#has.length);
    const [distances, has] = [this.#distances, this.#has];
    const code = codeOf(query, this.#words);
    const counts = new Uint32Array(this.#words * BITS + 1);
    for (let chunk = 0; chunk < last; chunk++) {
      if (has[chunk] === 0 || !accept(chunk)) continue;
      const distance = this.#distance(code, chunk);
      distances[chunk] = distance;
      counts[distance]! += 1;
    }
    const farthest = within(counts, limit * CODES_FOR_EACH);
    const best = new BestHits(limit, isEarlier);
    for (let chunk = 0; chunk < last; chunk++)
      if (has[chunk] === 1 && distances[chunk]! <= farthest && accept(chunk))
        best.add(chunk, this.#product(query, chunk));
    return best.sorted().map(({ item }) => item);
  }

  /** For chunks that have a vector. */
  likenessTo(query: Vector): (chunk: number) => number {
    if (this.#whole) return this.#whole.cosineTo(query);
    const code = codeOf(query, this.#words);
    const cosines = Float32Array.from({ length: this.#words * BITS + 1 }, (_, at) =>
      likenessOf(at, query.length),
    );
    return (chunk) => cosines[this.#distance(code, chunk)]!;
  }

  #nearestExactly(query: Vector, last: number, limit: number, accept: (chunk: number) => boolean): number[] {
    const likeness = this.#whole!.cosineTo(query);
    const best = new BestHits(limit, isEarlier);
    for (let chunk = 0; chunk < last; chunk++)
      if (this.#has[chunk] === 1 && accept(chunk)) best.add(chunk, likeness(chunk));
    return best.sorted().map(({ item }) => item);
  }

  async #work(model: string | null): Promise<void> {
    if (model !== this.#model) this.#reset(model);
    if (model === null) return;
    const pace = createPace();
    for (;;) {
      const vectors = await this.#reader.changedVectors(this.#place, AT_ONCE);
      for (const { no, vector } of vectors) this.#take(no, vector);
      if (vectors.length > 0) this.#place = vectors.at(-1)!;
      if (vectors.length < AT_ONCE) return;
      await pace();
    }
  }

  #reset(model: string | null): void {
    this.#model = model;
    this.#place = NOWHERE;
    this.#words = 0;
    this.#codes = new Uint32Array(0);
    this.#has = new Uint8Array(0);
    this.#count = 0;
    this.#whole = new WholeVectors(this.#maxWholeBytes);
  }

  #take(chunk: number, vector: Uint8Array): void {
    if (this.#words === 0) this.#words = wordsFor(vector.length);
    if (wordsFor(vector.length) !== this.#words) return;
    this.#makeRoom(chunk);
    this.#codes.set(codeOf(signed(vector), this.#words), chunk * this.#words);
    if (this.#whole && !this.#whole.put(chunk, signed(vector))) this.#whole = undefined;
    if (this.#has[chunk] === 0) this.#count += 1;
    this.#has[chunk] = 1;
  }

  #distance(code: Uint32Array, chunk: number): number {
    const codes = this.#codes;
    const from = chunk * this.#words;
    let sum = 0;
    for (let word = 0; word < code.length; word++) {
      let bits = code[word]! ^ codes[from + word]!;
      bits -= (bits >>> 1) & 0x55555555;
      bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
      sum += (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
    }
    return sum;
  }

  /** The dot product of the query with the signs of a vector; more precise than the number of differing signs. */
  #product(query: Vector, chunk: number): number {
    const from = chunk * this.#words;
    let sum = 0;
    for (let at = 0; at < query.length; at++) {
      const sign = (this.#codes[from + (at >>> 5)]! >>> (at & 31)) & 1;
      sum += sign === 1 ? query[at]! : -query[at]!;
    }
    return sum;
  }

  #makeRoom(chunk: number): void {
    if (chunk < this.#has.length) return;
    const room = Math.max(4096, Math.ceil(chunk * 1.25));
    const [codes, has] = [this.#codes, this.#has];
    this.#codes = new Uint32Array(room * this.#words);
    this.#codes.set(codes);
    this.#has = new Uint8Array(room);
    this.#has.set(has);
  }
}

function isEarlier(one: number, other: number): boolean {
  return one < other;
}

/** Reads a vector from the bytes of a database. */
export function signed(bytes: Uint8Array): Vector {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function wordsFor(dimensions: number): number {
  return Math.ceil(dimensions / BITS);
}

/** The distance within which at least `limit` lie. */
function within(counts: Uint32Array, limit: number): number {
  let sum = 0;
  for (const [distance, count] of counts.entries()) {
    sum += count;
    if (sum >= limit) return distance;
  }
  return counts.length;
}

/** Estimates the cosine: the share of differing signs is about the share of half a turn between two vectors. */
function likenessOf(distance: number, dimensions: number): number {
  return Math.cos((Math.PI * distance) / dimensions);
}

/** One bit for each dimension: whether it is above zero. */
function codeOf(vector: Vector, words: number): Uint32Array {
  const code = new Uint32Array(words);
  for (let at = 0; at < vector.length; at++) if (vector[at]! > 0) code[at >>> 5]! |= 1 << (at & 31);
  return code;
}
