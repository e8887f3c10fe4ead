/** A JSON value after its texts were changed. */
export interface ChangedTexts<T> {
  /** The same object if no text changed; otherwise a copy. */
  readonly value: T;
  /** A lower bound for its length as JSON. */
  readonly atLeast: number;
  /** An upper bound for its length as JSON. */
  readonly atMost: number;
}

/**
 * Changes every text in a JSON value, including keys, and estimates its size in the same walk. Unchanged parts are not
 * copied. Undefined if the value nests deeper than `maxDepth`.
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
/** The longest JSON escape of one character: `\u0000`. */
const LONGEST_CHARACTER = 6;
/** Two quotes or brackets, and the comma or colon after them. */
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
    // Not by assignment, because `__proto__` is a key like any other.
    return copy === undefined || this.isTooDeep ? record : Object.fromEntries(copy);
  }
}
