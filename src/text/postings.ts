const SMALLEST = 4;

/** Where a term stands: slots, and the packed counts of its fields in each. In no order. */
export class Postings {
  readonly term: string;
  /** Slots in the first half, their counts in the second. */
  #data = new Uint32Array(2 * SMALLEST);
  #size = 0;

  constructor(term: string) {
    this.term = term;
  }

  get size(): number {
    return this.#size;
  }

  /** How many there is room for. */
  get room(): number {
    return this.#data.length >> 1;
  }

  /** Of `size` entries; the counts of the entry at n are at `room + n`. Only for reading, until something changes. */
  get data(): Uint32Array {
    return this.#data;
  }

  add(slot: number, counts: number): void {
    if (this.#size === this.room) this.#resize(this.room + (this.room >> 1));
    this.#data[this.#size] = slot;
    this.#data[this.room + this.#size] = counts;
    this.#size += 1;
  }

  /** The last one takes its place. */
  remove(slot: number): void {
    const at = this.#data.indexOf(slot);
    this.#size -= 1;
    this.#data[at] = this.#data[this.#size]!;
    this.#data[this.room + at] = this.#data[this.room + this.#size]!;
    if (this.room > SMALLEST && this.#size < this.room >> 2) this.#resize(this.room >> 1);
  }

  #resize(room: number): void {
    const data = new Uint32Array(2 * room);
    data.set(this.#data.subarray(0, this.#size));
    data.set(this.#data.subarray(this.room, this.room + this.#size), room);
    this.#data = data;
  }
}
