import { detachString } from "../../lib/flow/detach-string.ts";

/** Every term that is in use, by number. A number is given again once its term was let go. */
export class Vocabulary {
  readonly #numbers = new Map<string, number>();
  readonly #terms: (string | undefined)[] = [];
  readonly #unused: number[] = [];
  /** Terms by their first letter and their length, to find the term behind a typo. */
  readonly #byStart = new Map<string, Map<number, Set<string>>>();

  /** One more than the highest number. */
  get end(): number {
    return this.#terms.length;
  }

  find(term: string): number | undefined {
    return this.#numbers.get(term);
  }

  /** The number of a term, which it gets now if it has none. */
  numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#unused.pop() ?? this.#terms.length;
    const own = detachString(term);
    this.#numbers.set(own, number);
    const lengths = emplace(this.#byStart, own[0]!, () => new Map<number, Set<string>>());
    emplace(lengths, own.length, () => new Set<string>()).add(own);
    this.#terms[number] = own;
    return number;
  }

  /** The number must be in use. */
  letGo(number: number): void {
    const term = this.#terms[number]!;
    this.#numbers.delete(term);
    this.#terms[number] = undefined;
    this.#unused.push(number);
    const lengths = this.#byStart.get(term[0]!)!;
    const terms = lengths.get(term.length)!;
    terms.delete(term);
    if (terms.size === 0) lengths.delete(term.length);
    if (lengths.size === 0) this.#byStart.delete(term[0]!);
  }

  /** The terms of a length that begin with a letter. */
  termsFrom(letter: string, length: number): Iterable<string> {
    return this.#byStart.get(letter)?.get(length) ?? [];
  }

  /** The terms that begin with this one, in no order. */
  longerThan(beginning: string): string[] {
    const found: string[] = [];
    for (const [length, terms] of this.#byStart.get(beginning[0]!) ?? [])
      if (length > beginning.length)
        for (const term of terms) if (term.startsWith(beginning)) found.push(term);
    return found;
  }
}

function emplace<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make();
  map.set(key, value);
  return value;
}
