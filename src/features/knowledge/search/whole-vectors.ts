import type { Vector } from "../../../machine/text/meaning/embedder.ts";

const FIRST_ROOM = 1_024;

/** Whole vectors by chunk number, up to a number of bytes. */
export class WholeVectors {
  readonly #maxBytes: number;
  /** By chunk number: the position of its vector. Vectors of deleted chunks stay. */
  readonly #slots = new Map<number, number>();
  #dimensions = 0;
  #vectors = new Int8Array(0);
  #lengths = new Float64Array(0);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** False if there is no room; then this object must not be used any more. */
  put(chunk: number, vector: Vector): boolean {
    if (this.#dimensions === 0) this.#dimensions = vector.length;
    const slot = this.#slots.get(chunk) ?? this.#slots.size;
    if (vector.length !== this.#dimensions || (slot + 1) * this.#dimensions > this.#maxBytes) return false;
    this.#makeRoom(slot);
    this.#slots.set(chunk, slot);
    this.#vectors.set(vector, slot * this.#dimensions);
    this.#lengths[slot] = lengthOf(vector);
    return true;
  }

  /** Only for chunks that were added. */
  cosineTo(query: Vector): (chunk: number) => number {
    const [slots, vectors, lengths, dimensions] = [
      this.#slots,
      this.#vectors,
      this.#lengths,
      this.#dimensions,
    ];
    const own = lengthOf(query);
    return (chunk) => {
      const slot = slots.get(chunk) ?? 0;
      const from = slot * dimensions;
      let product = 0;
      for (let at = 0; at < dimensions; at++) product += query[at]! * vectors[from + at]!;
      const both = own * lengths[slot]!;
      return both === 0 ? 0 : product / both;
    };
  }

  #makeRoom(slot: number): void {
    if (slot < this.#lengths.length) return;
    const room = Math.max(FIRST_ROOM, slot * 2);
    const [vectors, lengths] = [this.#vectors, this.#lengths];
    this.#vectors = new Int8Array(room * this.#dimensions);
    this.#vectors.set(vectors);
    this.#lengths = new Float64Array(room);
    this.#lengths.set(lengths);
  }
}

function lengthOf(vector: Vector): number {
  let sum = 0;
  for (let at = 0; at < vector.length; at++) sum += vector[at]! * vector[at]!;
  return Math.sqrt(sum);
}
