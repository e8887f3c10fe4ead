import type { Tool, ToolSource } from "../../contract/tool.ts";

/**
 * The tools of all sources by name. The first source that has a name wins: native tools come first, so no server can put itself in
 * their place. Gathered when they are asked for, since servers come and go together; what stayed the same is not sorted again.
 */
export class GatheredTools {
  readonly #sources: readonly ToolSource[];
  /** By source, as it was the last time. */
  readonly #lists: (readonly Tool[])[];
  readonly #byName = new Map<string, Tool>();
  #sorted: readonly Tool[] = [];
  #isCurrent = false;

  constructor(sources: readonly ToolSource[]) {
    this.#sources = sources;
    this.#lists = sources.map(() => []);
  }

  /** A source has other tools now. */
  outdated(): void {
    this.#isCurrent = false;
  }

  /** Sorted by name; the same array as long as the tools are the same. */
  get all(): readonly Tool[] {
    this.#gather();
    return this.#sorted;
  }

  get(name: string): Tool | undefined {
    this.#gather();
    return this.#byName.get(name);
  }

  values(): Iterable<Tool> {
    return this.all;
  }

  #gather(): void {
    if (this.#isCurrent) return;
    const names = new Set<string>();
    for (const [at, source] of this.#sources.entries()) {
      const list = source.tools();
      for (const tool of differing(this.#lists[at]!, list)) names.add(tool.name);
      this.#lists[at] = list;
    }
    if (names.size > 0) this.#settle(names);
    this.#isCurrent = true;
  }

  /** Decides anew who has these names. */
  #settle(names: ReadonlySet<string>): void {
    const winners = new Map<string, Tool>();
    for (const list of this.#lists) {
      for (const tool of list) {
        if (names.has(tool.name) && !winners.has(tool.name)) winners.set(tool.name, tool);
      }
    }
    for (const name of names) {
      const winner = winners.get(name);
      if (winner) this.#byName.set(name, winner);
      else this.#byName.delete(name);
    }
    this.#sorted = merged(this.#sorted, [...names].sort(), winners);
  }
}

/** What stands between the beginning and the end that both lists share, in either of them. */
function* differing(before: readonly Tool[], now: readonly Tool[]): Generator<Tool> {
  const most = Math.min(before.length, now.length);
  let start = 0;
  while (start < most && before[start] === now[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === now.at(-1 - end)) end += 1;
  yield* before.slice(start, before.length - end);
  yield* now.slice(start, now.length - end);
}

/** The sorted tools with whoever has each of the names now, or without any. */
function merged(
  sorted: readonly Tool[],
  names: readonly string[],
  winners: ReadonlyMap<string, Tool>,
): readonly Tool[] {
  const next: Tool[] = [];
  let from = 0;
  for (const name of names) {
    const to = placeOf(name, sorted, from);
    while (from < to) next.push(sorted[from++]!);
    const winner = winners.get(name);
    if (winner) next.push(winner);
    if (sorted[from]?.name === name) from += 1;
  }
  while (from < sorted.length) next.push(sorted[from++]!);
  return next;
}

/** Where the first tool stands whose name does not come before this one. */
function placeOf(name: string, sorted: readonly Tool[], from: number): number {
  let [low, high] = [from, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]!.name < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
