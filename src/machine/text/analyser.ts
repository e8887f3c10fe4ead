import { detachString } from "../../lib/flow/detach-string.ts";
import { stem } from "./stem.ts";
import { STOP_WORDS } from "./stop-words.ts";
import { wordsIn, writtenIn } from "./words.ts";

/** The rest of a longer text is ignored: memories, notes and tool descriptions are far shorter. */
export const MAX_TERMS = 20_000;
const MAX_CHARS = 1_000_000;
/** The most words in the cache, and the longest. */
const MAX_REMEMBERED = 50_000;
const LONGEST_REMEMBERED = 32;

/** The terms of a written word, and whether they are stop words. */
interface Meaning {
  readonly terms: readonly string[];
  readonly stopped: readonly string[];
}

/**
 * Returns the terms by which a text is found, in order and with repeats: folded words without stop words and English
 * endings. A text of nothing but stop words keeps them. Texts and queries must use the same function, or they would
 * never match.
 */
export function termsOf(text: string): string[] {
  return gathered(text, (written) => meaningOf(written));
}

/** Does the same as `termsOf` for many texts, with a cache of words. */
export class Analyser {
  readonly #known = new Map<string, Meaning>();
  readonly #stem: (word: string) => string;

  /** Texts and queries that are to meet need the same `stem`. */
  constructor(stemOf = stem) {
    this.#stem = stemOf;
  }

  termsOf(text: string): string[] {
    return gathered(text, (written) => this.#meaningOf(written));
  }

  #meaningOf(written: string): Meaning {
    const known = this.#known.get(written);
    if (known) return known;
    if (written.length > LONGEST_REMEMBERED) return meaningOf(written, this.#stem);
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    const own = detachString(written);
    const meaning = meaningOf(own, this.#stem);
    this.#known.set(own, meaning);
    return meaning;
  }
}

function gathered(text: string, meaningOf: (written: string) => Meaning): string[] {
  const terms: string[] = [];
  const stopped: string[] = [];
  for (const written of writtenIn(text.slice(0, MAX_CHARS))) {
    if (terms.length >= MAX_TERMS) break;
    const meaning = meaningOf(written);
    for (const term of meaning.terms) if (terms.length < MAX_TERMS) terms.push(term);
    for (const word of meaning.stopped) if (stopped.length < MAX_TERMS) stopped.push(word);
  }
  return terms.length > 0 ? terms : stopped;
}

function meaningOf(written: string, stemOf = stem): Meaning {
  const terms: string[] = [];
  const stopped: string[] = [];
  for (const word of wordsIn(written)) {
    if (STOP_WORDS.has(word)) stopped.push(word);
    else terms.push(stemOf(word));
  }
  return { terms, stopped };
}
