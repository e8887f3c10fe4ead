import { fold } from "../../../machine/text/words.ts";

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Whether a phrase stands in one of the texts, word for word; case, accents and what stands between words do not count. */
export function hasPhrase(texts: readonly string[], phrase: string): boolean {
  const sought = spaced(phrase);
  // Where words are not set apart it may stand inside of a longer run.
  const needle = UNSPACED.test(phrase) ? sought.trim() : sought;
  return texts.some((text) => spaced(text).includes(needle));
}

function spaced(text: string): string {
  return ` ${(fold(text).match(WORD) ?? []).join(" ")} `;
}
