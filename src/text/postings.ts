const SMALLEST = 4;
/** What is longer grows in smaller steps. */
const LONG = 1_024;

/** Where a term stands: slots, and the packed counts of its fields in each. In no order. */
export class Postings {
  readonly term: string;
  /** Slots in the first half, their counts in the second. Most terms stand in one place only, and an array would be most of what they take. */
  #data: Uint32Array | undefined;
  #size = 0;
  #onlySlot = 0;
  #onlyCounts = 0;

  constructor(term: string) {
    this.term = term;
  }

  get size(): number {
    return this.#size;
  }

  /** How many there is room for. */
  get room(): number {
    return this.#data ? this.#data.length >> 1 : 1;
  }

  /** Of `size` entries; the counts of the entry at n are at `room + n`. Only for reading, until something changes. */
  get data(): Uint32Array {
    return this.#data ?? Uint32Array.of(this.#onlySlot, this.#onlyCounts);
  }

  add(slot: number, counts: number): void {
    if (this.#size === 0) {
      [this.#onlySlot, this.#onlyCounts] = [slot, counts];
      this.#size = 1;
      return;
    }
    const { room } = this;
    if (this.#size === room) this.#resize(Math.max(SMALLEST, room + (room >> (room < LONG ? 1 : 2))));
    this.#data![this.#size] = slot;
    this.#data![this.room + this.#size] = counts;
    this.#size += 1;
  }

  /** The last one takes its place. */
  remove(slot: number): void {
    this.#size -= 1;
    const { room } = this;
    const data = this.#data;
    if (!data) return;
    const at = data.indexOf(slot);
    data[at] = data[this.#size]!;
    data[room + at] = data[room + this.#size]!;
    if (this.#size === 1) {
      [this.#onlySlot, this.#onlyCounts] = [data[0]!, data[room]!];
      this.#data = undefined;
    } else if (room > SMALLEST && this.#size < room >> 2) this.#resize(room >> 1);
  }

  #resize(room: number): void {
    const before = this.data;
    const beforeRoom = this.room;
    const data = new Uint32Array(2 * room);
    data.set(before.subarray(0, this.#size));
    data.set(before.subarray(beforeRoom, beforeRoom + this.#size), room);
    this.#data = data;
  }
}
