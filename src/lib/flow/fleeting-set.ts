/**
 * A set for items that come and go thousands of times a second, with few in it at once. A `Set` or `Map` keeps
 * rebuilding itself then, and each old table points to the next: one that survives a garbage collection holds all later
 * ones in memory until the next full collection.
 */
export class FleetingSet<T> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** The item must not be in the set already. */
  add(item: T): void {
    this.#items.push(item);
  }

  /**
   * Returns false if the item is missing. Takes longer the older the item is, so do not use it for thousands at once.
   */
  delete(item: T): boolean {
    // The last item moves into the gap. Most removed items are the last one.
    const at = this.#items.lastIndexOf(item);
    if (at === -1) return false;
    const last = this.#items.pop() as T;
    if (at < this.#items.length) this.#items[at] = last;
    return true;
  }

  find(isMeant: (item: T) => boolean): T | undefined {
    return this.#items.find(isMeant);
  }

  /** Returns the items in no particular order. */
  all(): readonly T[] {
    return [...this.#items];
  }
}
