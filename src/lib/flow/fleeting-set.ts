/**
 * A set of what comes and goes by the thousand a second, of which few are there at once. A `Set` or `Map` makes itself
 * anew all the time then, and each former self leads to the next: what one garbage collection missed holds all that came
 * after it until the next full one.
 */
export class FleetingSet<T> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** What is in here already must not be added again. */
  add(item: T): void {
    this.#items.push(item);
  }

  /** False where it was not there. Takes the longer the older it is: not for thousands at once. */
  delete(item: T): boolean {
    // The last one takes its place: most are the last one themselves.
    const at = this.#items.lastIndexOf(item);
    if (at === -1) return false;
    const last = this.#items.pop() as T;
    if (at < this.#items.length) this.#items[at] = last;
    return true;
  }

  find(isMeant: (item: T) => boolean): T | undefined {
    return this.#items.find(isMeant);
  }

  /** Those that are in here now, in no order. */
  all(): readonly T[] {
    return [...this.#items];
  }
}
