import { fold } from "../../../machine/text/words.ts";

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Whether one of the texts contains a phrase word for word, ignoring case, accents and punctuation. */
export function hasPhrase(texts: readonly string[], phrase: string): boolean {
  const sought = spaced(phrase);
  // In scripts without spaces it may be inside a longer run.
  const needle = UNSPACED.test(phrase) ? sought.trim() : sought;
  return texts.some((text) => spaced(text).includes(needle));
}

function spaced(text: string): string {
  return ` ${(fold(text).match(WORD) ?? []).join(" ")} `;
}
