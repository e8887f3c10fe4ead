import { ENTITY_NAMES } from "./unquote.ts";

/** The number of characters that are looked up together. */
export const GRAM = 4;

/**
 * All groups of four characters that `text` contains when one of its characters is written as an escape, from the second
 * character of the escape on. A search that looks only at some positions may hit the middle of an escape; groups with the
 * beginning of an escape are recognised by that beginning. `characters`: those that may be escaped; default: all.
 */
export function* escapeTails(text: string, characters?: RegExp): Iterable<string> {
  for (let at = 0; at < text.length; at++) {
    if (characters && !characters.test(text.charAt(at))) continue;
    const after = text.slice(at + 1, at + GRAM);
    for (const tail of tailsOf(text.charCodeAt(at))) {
      const all = tail + after;
      const last = Math.min(tail.length - 1, all.length - GRAM);
      for (let from = 0; from <= last; from++) yield all.slice(from, from + GRAM);
    }
  }
}

const TAILS = new Map<number, readonly string[]>();

/** Every way to escape a character, without the first character of the escape. Doubled backslashes give the same. */
function tailsOf(code: number): readonly string[] {
  const known = TAILS.get(code);
  if (known) return known;
  const tails = new Set<string>();
  const small = code.toString(16);
  for (const hex of new Set([small, small.toUpperCase()])) {
    const four = hex.padStart(4, "0");
    for (const tail of [`u${four}`, `u{${hex}}`, `#x${hex};`, `#x${four};`, `#x0${hex};`]) tails.add(tail);
    if (code > 0xff) continue;
    const two = hex.padStart(2, "0");
    for (const tail of [two, `x${two}`, `25${two}`]) tails.add(tail);
  }
  for (const digits of [`${code}`, `0${code}`, `00${code}`]) tails.add(`#${digits};`);
  if (code < 0x100) tails.add(code.toString(8).padStart(3, "0"));
  const blank = BLANKS.get(code);
  if (blank !== undefined) tails.add(blank);
  for (const name of ENTITY_NAMES.get(code) ?? []) tails.add(`${name};`);
  if (code > 0x7f)
    for (const byte of Buffer.from(String.fromCharCode(code), "utf8"))
      tails.add(byte.toString(16)).add(byte.toString(16).toUpperCase());
  // Only for the few common characters: a text in Chinese would fill the memory.
  if (code < 0x100) TAILS.set(code, [...tails]);
  return [...tails];
}

/** The letters with which JSON escapes control characters. */
export const BLANKS: ReadonlyMap<number, string> = new Map([
  [10, "n"],
  [13, "r"],
  [9, "t"],
  [8, "b"],
  [12, "f"],
  [11, "v"],
]);
