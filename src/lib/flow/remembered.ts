/** Caches a result for each text. Usually there is only one, and a map would cost more than the work. */
export class Remembered<T> {
  readonly #workOut: (text: string) => T;
  #first: { readonly text: string; readonly found: T } | undefined;
  #others: Map<string, T> | undefined;

  constructor(workOut: (text: string) => T) {
    this.#workOut = workOut;
  }

  of(text: string): T {
    if (this.#first?.text === text) return this.#first.found;
    const others = this.#others;
    if (others?.has(text)) return others.get(text)!;
    const found = this.#workOut(text);
    if (!this.#first) this.#first = { text, found };
    else if (others) others.set(text, found);
    else this.#others = new Map([[text, found]]);
    return found;
  }
}
