const FIRST_SIZE = 64;

interface Taken<T> {
  readonly id: number;
  readonly value: T;
}

/**
 * Values by ids that the collection assigns in rising order, for values that come and go thousands of times a second. A
 * Map keeps rebuilding itself then, and each old table keeps its contents alive until the next full garbage collection.
 */
export class Slots<T> {
  readonly #firstId: number;
  readonly #lastId: number;
  #slots: (Taken<T> | undefined)[] = emptySlots(FIRST_SIZE);
  #nextId: number;
  #count = 0;

  /** Ids start again with `firstId` after `lastId`. There must never be as many values at once as there are ids. */
  constructor(firstId: number, lastId: number) {
    this.#firstId = firstId;
    this.#lastId = lastId;
    this.#nextId = firstId;
  }

  get count(): number {
    return this.#count;
  }

  /** True if this collection can have assigned the id. */
  covers(id: number): boolean {
    return id >= this.#firstId && id <= this.#lastId;
  }

  /** Returns an id whose place is free until the next call of `newId`. */
  newId(): number {
    if (this.#count * 2 >= this.#slots.length) this.#grow();
    for (;;) {
      const id = this.#nextId;
      this.#nextId = id === this.#lastId ? this.#firstId : id + 1;
      if (this.#slots[this.#placeOf(id)] === undefined) return id;
    }
  }

  set(id: number, value: T): void {
    this.#slots[this.#placeOf(id)] = { id, value };
    this.#count++;
  }

  get(id: number): T | undefined {
    const taken = this.#slots[this.#placeOf(id)];
    return taken?.id === id ? taken.value : undefined;
  }

  /** Removes and returns the value. */
  take(id: number): T | undefined {
    const value = this.get(id);
    if (value === undefined) return undefined;
    this.#slots[this.#placeOf(id)] = undefined;
    this.#count--;
    return value;
  }

  ids(): number[] {
    return this.#slots.flatMap((taken) => (taken ? [taken.id] : []));
  }

  /** Works because the size is a power of two. */
  #placeOf(id: number): number {
    return id & (this.#slots.length - 1);
  }

  /** Values with different places before growing have different places afterwards. */
  #grow(): void {
    const before = this.#slots;
    this.#slots = emptySlots(before.length * 2);
    for (const taken of before) if (taken) this.#slots[this.#placeOf(taken.id)] = taken;
  }
}

function emptySlots<T>(size: number): (T | undefined)[] {
  return new Array<T | undefined>(size).fill(undefined);
}
