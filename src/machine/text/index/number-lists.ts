/** A piece that is full moves to a larger one until it is as large as this, so that a small index stays small. */
const CHUNK = 2 ** 16;
const LEAST_CHUNK = 2 ** 8;

interface Chunk {
  readonly data: Uint32Array;
  used: number;
  /** The number of used entries that are no longer needed. */
  dead: number;
}

/** Lists of numbers by slot, in few pieces of memory: many small arrays would take several times as much. */
export class NumberLists {
  readonly #chunks = new Set<Chunk>();
  /** By slot: the chunk of a list, its start and its length. */
  readonly #homes: (Chunk | undefined)[] = [];
  readonly #starts: number[] = [];
  readonly #sizes: number[] = [];
  #last: Chunk | undefined;

  /** How many numbers there is room for. */
  get room(): number {
    return [...this.#chunks].reduce((sum, { data }) => sum + data.length, 0);
  }

  /** The list of a slot that has one. Only for reading, until something changes. */
  get(slot: number): Uint32Array {
    const start = this.#starts[slot]!;
    return this.#homes[slot]!.data.subarray(start, start + this.#sizes[slot]!);
  }

  /** The slot must be empty. */
  put(slot: number, numbers: ArrayLike<number>): void {
    const chunk = this.#chunkFor(numbers.length);
    chunk.data.set(numbers, chunk.used);
    this.#homes[slot] = chunk;
    this.#starts[slot] = chunk.used;
    this.#sizes[slot] = numbers.length;
    chunk.used += numbers.length;
  }

  delete(slot: number): void {
    const chunk = this.#homes[slot]!;
    chunk.dead += this.#sizes[slot]!;
    this.#homes[slot] = undefined;
    if (chunk !== this.#last && chunk.dead * 2 > chunk.used) this.#leave(chunk);
  }

  #chunkFor(size: number): Chunk {
    const last = this.#last;
    if (last && last.used + size <= last.data.length) return last;
    const isSmall = last !== undefined && last.data.length < CHUNK;
    const needed = size + (isSmall ? last.used - last.dead : CHUNK);
    const room = last ? Math.min(CHUNK, Math.max(LEAST_CHUNK, 2 * needed)) : LEAST_CHUNK;
    this.#last = { data: new Uint32Array(Math.max(room, size)), used: 0, dead: 0 };
    this.#chunks.add(this.#last);
    if (last && (isSmall || last.dead * 2 > last.used)) this.#leave(last);
    return this.#chunkFor(size);
  }

  /** Moves the lists that are still needed to the last chunk. */
  #leave(chunk: Chunk): void {
    this.#chunks.delete(chunk);
    for (const [slot, home] of this.#homes.entries()) if (home === chunk) this.put(slot, this.get(slot));
  }
}
