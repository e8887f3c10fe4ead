interface Named {
  readonly name: string;
}

/**
 * Merges several lists by name. The first list that has a name wins. Lists are read on demand, because several may
 * change together; unchanged parts are not sorted again.
 */
export class NamedLists<T extends Named> {
  readonly #sources: readonly (() => readonly T[])[];
  /** The list of each source at the last reading. */
  readonly #lists: (readonly T[])[];
  readonly #byName = new Map<string, T>();
  #sorted: readonly T[] = [];
  #isCurrent = false;

  constructor(sources: readonly (() => readonly T[])[]) {
    this.#sources = sources;
    this.#lists = sources.map(() => []);
  }

  /** Call this after the list of a source changed. */
  outdated(): void {
    this.#isCurrent = false;
  }

  /** Sorted by name. The same array is returned until its contents change. */
  get all(): readonly T[] {
    this.#gather();
    return this.#sorted;
  }

  get(name: string): T | undefined {
    this.#gather();
    return this.#byName.get(name);
  }

  values(): Iterable<T> {
    return this.all;
  }

  #gather(): void {
    if (this.#isCurrent) return;
    const names = new Set<string>();
    for (const [at, source] of this.#sources.entries()) {
      const list = source();
      for (const each of findDifferences(this.#lists[at]!, list)) names.add(each.name);
      this.#lists[at] = list;
    }
    if (names.size > 0) this.#settle(names);
    this.#isCurrent = true;
  }

  /** Decides again which source provides each of these names. */
  #settle(names: ReadonlySet<string>): void {
    const winners = new Map<string, T>();
    for (const list of this.#lists) {
      for (const each of list) {
        if (names.has(each.name) && !winners.has(each.name)) winners.set(each.name, each);
      }
    }
    for (const name of names) {
      const winner = winners.get(name);
      if (winner) this.#byName.set(name, winner);
      else this.#byName.delete(name);
    }
    this.#sorted = mergeNames(this.#sorted, [...names].sort(), winners);
  }
}

/** Yields the entries of both lists that lie between their common beginning and their common end. */
function* findDifferences<T>(before: readonly T[], now: readonly T[]): Generator<T> {
  const most = Math.min(before.length, now.length);
  let start = 0;
  while (start < most && before[start] === now[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === now.at(-1 - end)) end += 1;
  yield* before.slice(start, before.length - end);
  yield* now.slice(start, now.length - end);
}

/** Returns the sorted list after each of the names was replaced or removed. */
function mergeNames<T extends Named>(
  sorted: readonly T[],
  names: readonly string[],
  winners: ReadonlyMap<string, T>,
): readonly T[] {
  const next: T[] = [];
  let from = 0;
  for (const name of names) {
    const to = findPosition(name, sorted, from);
    while (from < to) next.push(sorted[from++]!);
    const winner = winners.get(name);
    if (winner) next.push(winner);
    if (sorted[from]?.name === name) from += 1;
  }
  while (from < sorted.length) next.push(sorted[from++]!);
  return next;
}

/** Returns the position of the first entry whose name is not before this one. */
function findPosition(name: string, sorted: readonly Named[], from: number): number {
  let [low, high] = [from, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]!.name < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
