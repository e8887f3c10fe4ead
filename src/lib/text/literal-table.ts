/**
 * A bit for the length of a text, by its rest modulo 32; together they say which lengths there are among several. Most texts
 * that are not in a list have another length than all that are.
 */
export function lengthBit(length: number): number {
  return 1 << length;
}

/** Values by literal texts, for looking up many texts of which few are there. */
export class LiteralTable<T> {
  readonly #values = new Map<string, T[]>();
  #lengths = 0;

  add(literal: string, value: T): void {
    this.#lengths |= lengthBit(literal.length);
    const there = this.#values.get(literal);
    if (there) there.push(value);
    else this.#values.set(literal, [value]);
  }

  /** False: nothing was added under any text of these lengths. */
  mayHave(lengths: number): boolean {
    return (this.#lengths & lengths) !== 0;
  }

  /** Puts what was added under a text into `found`. */
  collect(text: string, found: T[]): void {
    if (!this.mayHave(lengthBit(text.length))) return;
    const values = this.#values.get(text);
    if (values) for (const value of values) found.push(value);
  }
}
