import { stem } from "./stem.ts";
import { STOP_WORDS } from "./stop-words.ts";
import { wordsOf } from "./words.ts";

/** Of a longer text the rest is not looked at: memories, notes and descriptions of tools are far shorter. */
export const MAX_TERMS = 20_000;

/**
 * What a text is found by, in order and with repeats: its words folded, without stop words, English endings taken off. A text
 * of nothing but stop words keeps them. Texts and queries go through the same function, or they would never meet.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  const stopped: string[] = [];
  for (const word of wordsOf(text)) {
    if (terms.length >= MAX_TERMS) break;
    if (!STOP_WORDS.has(word)) terms.push(stem(word));
    else if (stopped.length < MAX_TERMS) stopped.push(word);
  }
  return terms.length > 0 ? terms : stopped;
}
