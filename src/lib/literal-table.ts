/** Values by literal texts, for looking up many texts of which few are there. */
export class LiteralTable<T> {
  readonly #values = new Map<string, T[]>();
  /** A bit for each length, by its rest modulo 32: most texts that are not there have another length than all that are. */
  #lengths = 0;

  get isEmpty(): boolean {
    return this.#lengths === 0;
  }

  add(literal: string, value: T): void {
    this.#lengths |= 1 << literal.length;
    const there = this.#values.get(literal);
    if (there) there.push(value);
    else this.#values.set(literal, [value]);
  }

  /** Puts what was added under a text into `found`. */
  collect(text: string, found: T[]): void {
    if ((this.#lengths & (1 << text.length)) === 0) return;
    const values = this.#values.get(text);
    if (values) for (const value of values) found.push(value);
  }
}
