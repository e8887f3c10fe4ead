const SMALLEST = 1_024;

/** Lists of numbers by slot, in one piece of memory: many small arrays would take several times as much. */
export class NumberLists {
  #data = new Uint32Array(SMALLEST);
  #used = 0;
  /** How much of what is used nobody needs any more. */
  #dead = 0;
  /** By slot: where a list begins, and how long it is. */
  readonly #starts: number[] = [];
  readonly #sizes: number[] = [];

  /** How many numbers there is room for. */
  get room(): number {
    return this.#data.length;
  }

  /** The list of a slot that has one. Only for reading, until something changes. */
  get(slot: number): Uint32Array {
    const start = this.#starts[slot]!;
    return this.#data.subarray(start, start + this.#sizes[slot]!);
  }

  /** For a slot that has none. */
  put(slot: number, numbers: readonly number[]): void {
    if (this.#used + numbers.length > this.#data.length) this.#makeRoom(numbers.length);
    this.#data.set(numbers, this.#used);
    this.#starts[slot] = this.#used;
    this.#sizes[slot] = numbers.length;
    this.#used += numbers.length;
  }

  delete(slot: number): void {
    this.#dead += this.#sizes[slot]!;
    this.#sizes[slot] = 0;
  }

  /** Moves everything together, into as much room as it needs and a fifth more. */
  #makeRoom(more: number): void {
    const needed = this.#used - this.#dead + more;
    const data = new Uint32Array(Math.max(SMALLEST, Math.ceil(needed * 1.2)));
    let used = 0;
    for (const [slot, size] of this.#sizes.entries()) {
      if (!size) continue;
      data.set(this.get(slot), used);
      this.#starts[slot] = used;
      used += size;
    }
    this.#data = data;
    this.#used = used;
    this.#dead = 0;
  }
}
