/** What became of a JSON value whose texts were changed. */
export interface ChangedTexts<T> {
  /** The very same value where no text changed; a copy with the changes otherwise. */
  readonly value: T;
  /** It has no fewer characters as JSON than this. */
  readonly atLeast: number;
  /** It has no more characters as JSON than this. */
  readonly atMost: number;
}

/**
 * Changes every text in a JSON value, keys included, and weighs it on the way: one walk, and no copy of what stays.
 * Undefined where it nests deeper than `maxDepth`.
 */
export function changeTexts<T>(
  value: T,
  change: (text: string) => string,
  maxDepth: number,
): ChangedTexts<T> | undefined {
  const walk = new Walk(change);
  const changed = walk.value(value, maxDepth);
  const { isTooDeep, atLeast, atMost } = walk;
  return isTooDeep ? undefined : { value: changed as T, atLeast, atMost };
}

/** The longest number, its comma included. */
const LONGEST_NUMBER = 26;
/** The longest that JSON makes of one character: `\u0000`. */
const LONGEST_CHARACTER = 6;
/** Two quotes or brackets, and the comma or colon behind them. */
const PUNCTUATION = 3;

class Walk {
  readonly #change: (text: string) => string;
  atLeast = 0;
  atMost = 0;
  isTooDeep = false;

  constructor(change: (text: string) => string) {
    this.#change = change;
  }

  value(value: unknown, depthLeft: number): unknown {
    if (typeof value === "string") return this.#text(value);
    if (typeof value !== "object" || value === null) {
      this.atLeast += 1;
      this.atMost += LONGEST_NUMBER;
      return value;
    }
    this.atLeast += 2;
    this.atMost += PUNCTUATION;
    if (depthLeft === 0) {
      this.isTooDeep = true;
      return value;
    }
    return Array.isArray(value)
      ? this.#list(value, depthLeft - 1)
      : this.#record(value as Record<string, unknown>, depthLeft - 1);
  }

  #text(text: string): string {
    const changed = this.#change(text);
    this.atLeast += changed.length + 2;
    this.atMost += changed.length * LONGEST_CHARACTER + PUNCTUATION;
    return changed;
  }

  #list(list: readonly unknown[], depthLeft: number): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (let index = 0; index < list.length && !this.isTooDeep; index++) {
      const item = list[index];
      const changed = this.value(item, depthLeft);
      if (changed === item) continue;
      copy ??= [...list];
      copy[index] = changed;
    }
    return copy ?? list;
  }

  #record(record: Record<string, unknown>, depthLeft: number): Record<string, unknown> {
    let copy: [string, unknown][] | undefined;
    const keys = Object.keys(record);
    for (let index = 0; index < keys.length && !this.isTooDeep; index++) {
      const key = keys[index]!;
      const item = record[key];
      const changedKey = this.#text(key);
      const changed = this.value(item, depthLeft);
      if (changedKey === key && changed === item) continue;
      copy ??= Object.entries(record);
      copy[index] = [changedKey, changed];
    }
    // Not by assignment: `__proto__` is a key like any other.
    return copy === undefined || this.isTooDeep ? record : Object.fromEntries(copy);
  }
}
