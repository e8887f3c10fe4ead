import { Bucket } from "./bucket.ts";

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The number of hashes of three characters. */
const TABLE_SIZE = 1 << 16;
const BLOCK = 3;
const MAX_SHIFT = 255;
/** After this many removals the tables are rebuilt. */
const MANY_REMOVED = 1_000;

/**
 * Finds many texts in another one at once, with the algorithm of Wu and Manber: it looks at three characters and skips as
 * far as none of the texts could contain them. However many texts there are, the work at one position is bounded by their
 * lengths, so they should be short (see `piecesOf`).
 */
export class Matcher {
  /** How often each text was added. */
  readonly #sought = new Map<string, number>();
  readonly #shifts = new Uint8Array(TABLE_SIZE);
  readonly #buckets = new Map<number, Bucket>();
  /** The length of the shortest text; the tables use only this much of each. 0: the tables have to be built. */
  #window = 0;
  #removed = 0;

  /** The text has at least three characters. It is searched for until it was removed as often as it was added. */
  add(text: string): void {
    const count = this.#sought.get(text) ?? 0;
    this.#sought.set(text, count + 1);
    if (count > 0 || this.#window === 0) return;
    if (text.length < this.#window) this.#window = 0;
    else this.#enter(text);
  }

  remove(text: string): void {
    const count = this.#sought.get(text);
    if (count === undefined) return;
    if (count > 1) {
      this.#sought.set(text, count - 1);
      return;
    }
    this.#sought.delete(text);
    if (this.#window === 0) return;
    this.#removed += 1;
    if (this.#removed > MANY_REMOVED + this.#sought.size / 2) this.#window = 0;
    // The shifts stay: one that is too small only costs time.
    else this.#leave(text);
  }

  /** Every range that is one of the texts, in order; overlapping ones are merged. */
  find(text: string): Range[] {
    const found: Range[] = [];
    if (this.#sought.size === 0) return found;
    if (this.#window === 0) this.#build();
    const window = this.#window;
    const shifts = this.#shifts;
    const { length } = text;
    let last = window - 1;
    while (last < length) {
      const block = blockOf(text, last);
      const shift = shifts[block]!;
      if (shift === 0) this.#compare(text, last - window + 1, block, found);
      last += shift === 0 ? 1 : shift;
    }
    return found;
  }

  #compare(text: string, start: number, block: number, found: Range[]): void {
    const bucket = this.#buckets.get(block);
    if (bucket === undefined) return;
    const before = found.at(-1);
    const covered = before?.end ?? 0;
    const end = bucket.furthest(text, start, covered);
    if (end <= covered) return;
    if (before !== undefined && start < covered) found[found.length - 1] = { start: before.start, end };
    else found.push({ start, end });
  }

  #build(): void {
    let window = Number.POSITIVE_INFINITY;
    for (const each of this.#sought.keys()) window = Math.min(window, each.length);
    this.#window = window;
    this.#removed = 0;
    this.#buckets.clear();
    this.#shifts.fill(Math.min(MAX_SHIFT, window - BLOCK + 1));
    for (const each of this.#sought.keys()) this.#enter(each);
  }

  #enter(text: string): void {
    for (let last = BLOCK - 1; last < this.#window; last++) {
      const block = blockOf(text, last);
      this.#shifts[block] = Math.min(this.#shifts[block]!, this.#window - 1 - last);
    }
    const block = blockOf(text, this.#window - 1);
    const bucket = this.#buckets.get(block);
    if (bucket) bucket.add(text);
    else this.#buckets.set(block, new Bucket(text));
  }

  #leave(text: string): void {
    const block = blockOf(text, this.#window - 1);
    const bucket = this.#buckets.get(block);
    if (bucket?.delete(text) === 0) this.#buckets.delete(block);
  }
}

function blockOf(text: string, last: number): number {
  const mixed = (text.charCodeAt(last - 2) << 10) ^ (text.charCodeAt(last - 1) << 5) ^ text.charCodeAt(last);
  return mixed & (TABLE_SIZE - 1);
}

/** In order; overlapping ranges are merged. */
export function merged(found: readonly Range[]): Range[] {
  const result: Range[] = [];
  for (const next of [...found].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last && next.start < last.end)
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, next.end) };
    else result.push(next);
  }
  return result;
}
