export interface Range {
  readonly start: number;
  readonly end: number;
}

/** What is made of three characters. */
const TABLE_SIZE = 1 << 16;
const BLOCK = 3;
const MAX_SHIFT = 255;

/**
 * Finds many texts in one at once, after Wu and Manber: looks at three characters, and jumps ahead as far as no text
 * that is sought could have them at that place. The time does not depend on how many are sought.
 */
export class Matcher {
  /** How long the shortest is; of the others, only as much is looked at before they are compared. */
  readonly #window: number;
  readonly #shifts = new Uint8Array(TABLE_SIZE);
  readonly #candidates = new Map<number, string[]>();

  /** At least one, and each of them at least three characters long. */
  constructor(sought: Iterable<string>) {
    const all = [...sought];
    this.#window = all.reduce((least, each) => Math.min(least, each.length), Number.POSITIVE_INFINITY);
    this.#shifts.fill(Math.min(MAX_SHIFT, this.#window - BLOCK + 1));
    for (const each of all) this.#add(each);
  }

  /** Every place where one of them stands, also where they overlap, in the order of their ends or so. */
  find(text: string): Range[] {
    const found: Range[] = [];
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
    for (const each of this.#candidates.get(block) ?? []) {
      if (text.startsWith(each, start)) found.push({ start, end: start + each.length });
    }
  }

  #add(sought: string): void {
    for (let last = BLOCK - 1; last < this.#window; last++) {
      const block = blockOf(sought, last);
      this.#shifts[block] = Math.min(this.#shifts[block]!, this.#window - 1 - last);
    }
    const block = blockOf(sought, this.#window - 1);
    const candidates = this.#candidates.get(block);
    if (candidates) candidates.push(sought);
    else this.#candidates.set(block, [sought]);
  }
}

function blockOf(text: string, last: number): number {
  const mixed = (text.charCodeAt(last - 2) << 10) ^ (text.charCodeAt(last - 1) << 5) ^ text.charCodeAt(last);
  return mixed & (TABLE_SIZE - 1);
}
