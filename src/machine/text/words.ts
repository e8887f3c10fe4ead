const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
/** The English ending after an apostrophe belongs to the word before it and means nothing. */
const CONTRACTION = /(?<=\p{L})['’](?:s|t|d|m|re|ve|ll)(?![\p{L}\p{N}])/giu;
const APOSTROPHE = /['’]/;
/** Between `read` and `File`, between `HTTP` and `Server`, but not in `APIs`. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})(?!\p{Lu}s(?!\p{Ll}))/u;
/** Accents of Latin, Greek and Cyrillic letters; the marks of other scripts are vowels. */
const ACCENTS = /[\u0300-\u036f]/g;
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ł: "l",
  þ: "th",
  ı: "i",
  ς: "σ",
};
const SPECIAL_LETTERS = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");
/** Scripts that write without spaces, or with endings that stick to the word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;
/** Most words: nothing to fold and nothing to split. */
const PLAIN = /^[a-z0-9]+$/;
const ASCII = /^[\0-\x7f]*$/;
/** A longer word is a key or binary data, which nobody searches for. */
const LONGEST = 64;

/** The words of a text, in order, as they are written. */
export function writtenIn(text: string): readonly string[] {
  const joined = APOSTROPHE.test(text) ? text.replace(CONTRACTION, "") : text;
  return joined.match(WORD) ?? [];
}

/**
 * The words of a text, in order, folded: lower case, without accents. `readTextFile` and `read_text_file` are three words
 * each; the first, written as one, also counts as a whole, so that `github` finds `GitHub`. Scripts without spaces come in
 * overlapping pairs of characters.
 */
export function* wordsOf(text: string): Generator<string> {
  for (const written of writtenIn(text)) yield* wordsIn(written);
}

/** Yields the words in one match of `writtenIn`. */
export function* wordsIn(written: string): Generator<string> {
  if (PLAIN.test(written)) return yield written.slice(0, LONGEST);
  const parts = written.split(HUMP);
  if (parts.length > 1) for (const part of parts) if (part.length > 1) yield* segments(fold(part));
  yield* segments(fold(written));
}

/** Lower case and without accents; folding twice changes nothing. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (ASCII.test(lower)) return lower;
  return text
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .toLowerCase()
    .replace(SPECIAL_LETTERS, (letter) => LETTERS[letter]!)
    .normalize("NFC");
}

function* segments(word: string): Generator<string> {
  if (ASCII.test(word)) return yield word.slice(0, LONGEST);
  let end = 0;
  for (const run of word.matchAll(UNSPACED)) {
    if (run.index > end) yield word.slice(end, run.index).slice(0, LONGEST);
    yield* pairs([...run[0]]);
    end = run.index + run[0].length;
  }
  if (end < word.length) yield word.slice(end).slice(0, LONGEST);
}

function* pairs(characters: readonly string[]): Generator<string> {
  if (characters.length === 1) yield characters[0]!;
  for (let at = 1; at < characters.length; at++) yield characters[at - 1]! + characters[at]!;
}
