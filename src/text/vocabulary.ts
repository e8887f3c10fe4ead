import { detached } from "../lib/detached.ts";
import { Postings } from "./postings.ts";

/** Every term that stands anywhere, by number, and where it stands. A number is given again once its term stands nowhere. */
export class Vocabulary {
  readonly #numbers = new Map<string, number>();
  readonly #postings: (Postings | undefined)[] = [];
  readonly #unused: number[] = [];
  /** Terms by their first letter and their length, for whoever looks for one that was mistyped. */
  readonly #byStart = new Map<string, Map<number, Set<string>>>();

  /** One more than the highest number. */
  get end(): number {
    return this.#postings.length;
  }

  /** How many places the postings have room for together. */
  get room(): number {
    return this.#postings.reduce((sum, postings) => sum + (postings?.room ?? 0), 0);
  }

  find(term: string): number | undefined {
    return this.#numbers.get(term);
  }

  /** Where the term of a number that is in use stands. */
  postings(number: number): Postings {
    return this.#postings[number]!;
  }

  /** The number of a term, which it gets now if it has none; something has to be added to its postings then. */
  numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#unused.pop() ?? this.#postings.length;
    const own = detached(term);
    this.#numbers.set(own, number);
    const lengths = emplace(this.#byStart, own[0]!, () => new Map<number, Set<string>>());
    emplace(lengths, own.length, () => new Set<string>()).add(own);
    this.#postings[number] = new Postings(own);
    return number;
  }

  /** The term no longer stands in the slot. */
  remove(number: number, slot: number): void {
    const postings = this.postings(number);
    postings.remove(slot);
    if (postings.size > 0) return;
    const { term } = postings;
    this.#numbers.delete(term);
    this.#postings[number] = undefined;
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
}

function emplace<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make();
  map.set(key, value);
  return value;
}
