import { fold } from "../../../machine/text/words.ts";
import type { Mark } from "../contract.ts";

/** The words to mark. */
export interface Marked {
  /** Whether a written word is one of the search terms. */
  readonly isTerm: (word: string) => boolean;
  readonly terms: ReadonlySet<string>;
  /** Beginnings of words, folded. */
  readonly prefixes: readonly string[];
}

export const SNIPPET_CHARS = 320;
const MAX_MARKS = 40;
const LONGEST_WORD = 40;
/** The rest of a longer passage is ignored. */
const MAX_CHARS = 20_000;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const ASCII = /^[\0-\x7f]*$/;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The part of a passage with the most search terms close together, and their positions. */
export function snippetOf(text: string, marked: Marked): { snippet: string; marks: readonly Mark[] } {
  const looked = text.slice(0, MAX_CHARS);
  const marks = marksIn(looked, marked);
  const [from, to] = windowOf(looked, marks);
  const head = from > 0 ? "…" : "";
  const tail = to < text.length ? "…" : "";
  const shift = head.length - from;
  return {
    snippet: `${head}${looked.slice(from, to)}${tail}`,
    marks: marks
      .filter(({ start, end }) => start >= from && end <= to)
      .slice(0, MAX_MARKS)
      .map(({ start, end }) => ({ start: start + shift, end: end + shift })),
  };
}

function marksIn(text: string, { isTerm, terms, prefixes }: Marked): Mark[] {
  const marks: Mark[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!ASCII.test(word) && UNSPACED.test(word)) marks.push(...pairsIn(word, index, terms));
    else if (isTerm(word) || startsWithAny(word, prefixes))
      marks.push({ start: index, end: index + word.length });
  }
  return marks;
}

function startsWithAny(word: string, prefixes: readonly string[]): boolean {
  return prefixes.length > 0 && prefixes.some((prefix) => fold(word).startsWith(prefix));
}

/** Scripts without spaces are indexed as pairs of characters; adjacent pairs are marked together. */
function pairsIn(run: string, at: number, terms: ReadonlySet<string>): Mark[] {
  const marks: Mark[] = [];
  const characters = [...run];
  let start = at;
  for (const [index, character] of characters.entries()) {
    const pair = character + (characters[index + 1] ?? "");
    if (terms.has(fold(pair))) {
      const last = marks.at(-1);
      const end = start + pair.length;
      if (last && last.end >= start) marks[marks.length - 1] = { start: last.start, end };
      else marks.push({ start, end });
    }
    start += character.length;
  }
  return marks;
}

/** The window of the usual length with the most marks, widened to whole words. */
function windowOf(text: string, marks: readonly Mark[]): [from: number, to: number] {
  if (text.length <= SNIPPET_CHARS) return [0, text.length];
  let [best, most] = [0, -1];
  for (let first = 0, last = 0; first < marks.length; first++) {
    last = Math.max(last, first);
    while (
      last + 1 < marks.length &&
      marks[last + 1]!.end - marks[first]!.start <= SNIPPET_CHARS - 2 * LONGEST_WORD
    )
      last++;
    if (last - first > most) [best, most] = [first, last - first];
  }
  const mark = marks[best];
  const end = marks[best + Math.max(0, most)]?.end ?? 0;
  const middle = mark ? (mark.start + end) / 2 : 0;
  const from = Math.max(0, Math.min(Math.round(middle - SNIPPET_CHARS / 2), text.length - SNIPPET_CHARS));
  return [wordStart(text, from), wordEnd(text, Math.min(text.length, from + SNIPPET_CHARS))];
}

function wordStart(text: string, at: number): number {
  if (at === 0) return 0;
  const space = text.slice(at, at + LONGEST_WORD).search(/\s/);
  const start = space === -1 ? at : at + space + 1;
  // Never cuts a character in half.
  return isLow(text.charCodeAt(start)) ? start + 1 : start;
}

function wordEnd(text: string, at: number): number {
  if (at === text.length) return at;
  const space = text.slice(Math.max(0, at - LONGEST_WORD), at).search(/\s\S*$/);
  const end = space === -1 ? at : Math.max(0, at - LONGEST_WORD) + space;
  return isLow(text.charCodeAt(end)) ? end - 1 : end;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
