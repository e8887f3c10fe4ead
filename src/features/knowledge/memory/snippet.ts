import { wholeCharacterAt } from "../../../lib/text/whole-characters.ts";
import { termsOf } from "../../../machine/text/analyser.ts";
import type { Mark } from "../contract.ts";

const MAX_CHARS = 300;
/** How much text is shown before the first match. */
const BEFORE = 60;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

/** The part of a text around the words of a query, and their positions in it. */
export function snippetOf(
  text: string,
  query: string,
): { readonly snippet: string; readonly marks: readonly Mark[] } {
  const sought = new Set(termsOf(query));
  const hits = [...text.matchAll(WORD)].filter(([word]) => termsOf(word).some((term) => sought.has(term)));
  const isLong = text.length > MAX_CHARS;
  const from = isLong ? wholeCharacterAt(text, Math.max(0, (hits[0]?.index ?? 0) - BEFORE)) : 0;
  const to = isLong ? wholeCharacterAt(text, Math.min(text.length, from + MAX_CHARS)) : text.length;
  const start = from > 0 ? "…" : "";
  const snippet = `${start}${text.slice(from, to)}${to < text.length ? "…" : ""}`;
  const shift = start.length - from;
  const marks = hits
    .filter(({ index, 0: word }) => index >= from && index + word.length <= to)
    .map(({ index, 0: word }) => ({ start: index + shift, end: index + word.length + shift }));
  return { snippet, marks };
}
