const FIRST_SIZE = 64;

interface Taken<T> {
  readonly id: number;
  readonly value: T;
}

/**
 * Values by ids that it gives out itself, in rising order. As a Map would do it, but for values that come and go by the
 * thousand a second: a Map makes itself anew all the time then, and every former self keeps what it held alive until
 * the next full collection.
 */
export class Slots<T> {
  readonly #firstId: number;
  readonly #lastId: number;
  #slots: (Taken<T> | undefined)[] = emptySlots(FIRST_SIZE);
  #nextId: number;
  #count = 0;

  /** Begins anew with `firstId` after `lastId`; never as many at once as there are ids. */
  constructor(firstId: number, lastId: number) {
    this.#firstId = firstId;
    this.#lastId = lastId;
    this.#nextId = firstId;
  }

  get count(): number {
    return this.#count;
  }

  /** Whether it can have given out this id. */
  covers(id: number): boolean {
    return id >= this.#firstId && id <= this.#lastId;
  }

  /** An id whose place is free until the next one is asked for. */
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

  /** The value, which is then no longer there. */
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

  /** The size is a power of two. */
  #placeOf(id: number): number {
    return id & (this.#slots.length - 1);
  }

  /** Those that had places of their own before have them afterwards. */
  #grow(): void {
    const before = this.#slots;
    this.#slots = emptySlots(before.length * 2);
    for (const taken of before) if (taken) this.#slots[this.#placeOf(taken.id)] = taken;
  }
}

function emptySlots<T>(size: number): (T | undefined)[] {
  return new Array<T | undefined>(size).fill(undefined);
}
