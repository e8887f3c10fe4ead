import type { Clock } from "./clock.ts";

export interface BoundedMapOptions {
  /** Which entry is dropped to make room: the first added (the default), or the least recently used. */
  readonly drops?: "oldest" | "least used";
  /** `get` no longer returns an entry that was set longer ago than this. */
  readonly maxAge?: { readonly ms: number; readonly clock: Clock };
}

/**
 * A map that never holds more than `max` entries. Dropping an entry takes longer the larger `max` is, so do not use it
 * for tens of thousands.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;
  readonly #isByUse: boolean;
  readonly #maxAge: BoundedMapOptions["maxAge"];
  /** Used only if entries have a maximum age. */
  readonly #setAt = new Map<K, number>();

  constructor(max: number, { drops = "oldest", maxAge }: BoundedMapOptions = {}) {
    super();
    this.#max = max;
    this.#isByUse = drops === "least used";
    this.#maxAge = maxAge;
  }

  override get(key: K): V | undefined {
    if (this.#maxAge && this.#isOld(key, this.#maxAge)) this.delete(key);
    const value = super.get(key);
    if (this.#isByUse && value !== undefined) {
      super.delete(key);
      super.set(key, value);
    }
    return value;
  }

  override set(key: K, value: V): this {
    if (this.#isByUse) super.delete(key);
    super.set(key, value);
    if (this.#maxAge) this.#setAt.set(key, this.#maxAge.clock());
    if (this.size > this.#max) this.delete(this.keys().next().value!);
    return this;
  }

  override delete(key: K): boolean {
    this.#setAt.delete(key);
    return super.delete(key);
  }

  override clear(): void {
    this.#setAt.clear();
    super.clear();
  }

  /** Returns the existing value, or stores and returns the result of `make`. */
  getOrMake(key: K, make: () => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.set(key, made);
    return made;
  }

  #isOld(key: K, { ms, clock }: NonNullable<BoundedMapOptions["maxAge"]>): boolean {
    const setAt = this.#setAt.get(key);
    return setAt !== undefined && clock() - setAt >= ms;
  }
}
