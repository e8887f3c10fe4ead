import { afterPieces } from "./word-pieces.ts";

/** A good place to cut in the last part of a passage is preferred to a full passage. */
const LOOK_BACK = 0.4;
/** How far the boundary of a word is searched; longer words are cut. */
const MAX_WORD = 200;

/** The end of a passage that begins at `from`: after a paragraph, a line or a sentence, otherwise between words. Always after `from`. */
export function nextCut(
  text: string,
  from: number,
  end: number,
  byLines: boolean,
  limits: { readonly target: number; readonly most: number },
): number {
  const last = afterPieces(text, from, end, limits.most);
  if (last >= end) return end;
  const full = Math.min(afterPieces(text, from, last, limits.target), last);
  const first = from + Math.ceil((full - from) * (1 - LOOK_BACK));
  const cut =
    (byLines ? undefined : behindLast(text, first, full, "\n\n")) ??
    (byLines ? behindLast(text, first, full, "\n") : behindSentence(text, first, full)) ??
    behindLast(text, first, full, "\n") ??
    behindWord(text, Math.max(first, full - MAX_WORD), full);
  return wholeCharacter(text, Math.max(cut ?? full, from + 1), end);
}

/** The start of the next passage, which repeats a little of the text before `cut`. */
export function overlapBefore(
  text: string,
  from: number,
  cut: number,
  byLines: boolean,
  pieces: number,
): number {
  // Few pieces are never this long, and the last passage began before it.
  const earliest = Math.max(from + Math.ceil((cut - from) / 2), cut - pieces * 8);
  let start = earliest;
  while (start < cut && afterPieces(text, start, cut, pieces) < cut)
    start += Math.max(1, Math.floor((cut - start) / 8));
  const begin =
    (byLines
      ? behindFirst(text, start, cut, "\n")
      : (firstSentence(text, start, cut) ?? behindFirst(text, start, cut, " "))) ?? cut;
  return begin >= cut ? cut : wholeCharacter(text, begin, cut);
}

// Searches only a part of the text, because a rare mark would otherwise be searched through the whole text again and again.

function behindLast(text: string, first: number, full: number, mark: string): number | undefined {
  const at = text.slice(first, full).lastIndexOf(mark);
  return at >= 0 ? first + at + mark.length : undefined;
}

function behindFirst(text: string, start: number, cut: number, mark: string): number | undefined {
  const at = text.slice(start, cut).indexOf(mark);
  return at >= 0 && start + at + mark.length < cut ? start + at + mark.length : undefined;
}

function behindSentence(text: string, first: number, full: number): number | undefined {
  for (let at = full - 1; at > first; at--) if (endsSentence(text, at)) return at + 1;
  return undefined;
}

function firstSentence(text: string, start: number, cut: number): number | undefined {
  for (let at = start; at < cut - 1; at++) if (endsSentence(text, at)) return at + 1;
  return undefined;
}

/** `.`, `!` or `?` followed by a space; Chinese and Japanese marks need no space. */
function endsSentence(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === 0x3002 || code === 0xff01 || code === 0xff1f) return true;
  if (code !== 46 && code !== 33 && code !== 63) return false;
  const next = text.charCodeAt(at + 1);
  return next === 32 || next === 10 || next === 13;
}

function behindWord(text: string, first: number, full: number): number | undefined {
  for (let at = full; at > first; at--) {
    const code = text.charCodeAt(at - 1);
    if (code === 32 || code === 9 || code === 10) return at;
  }
  return undefined;
}

/** Never between the halves of a surrogate pair. */
function wholeCharacter(text: string, at: number, end: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff && at < end ? at + 1 : at;
}
