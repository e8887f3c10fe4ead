/**
 * A bit for the length of a text modulo 32. Combined, the bits say which lengths occur in a list. Most texts that are
 * not in a list differ in length from all that are.
 */
export function lengthBit(length: number): number {
  return 1 << length;
}

/** Values by literal texts, for lookups that mostly find nothing. */
export class LiteralTable<T> {
  readonly #values = new Map<string, T[]>();
  #lengths = 0;

  add(literal: string, value: T): void {
    this.#lengths |= lengthBit(literal.length);
    const there = this.#values.get(literal);
    if (there) there.push(value);
    else this.#values.set(literal, [value]);
  }

  /** Returns false if no text with one of these lengths was added. */
  mayHave(lengths: number): boolean {
    return (this.#lengths & lengths) !== 0;
  }

  /** Appends the values of a text to `found`. */
  collect(text: string, found: T[]): void {
    if (!this.mayHave(lengthBit(text.length))) return;
    const values = this.#values.get(text);
    if (values) for (const value of values) found.push(value);
  }
}
