import { GRAM } from "./escape-tails.ts";
import { merged, type Range } from "./matcher.ts";
import { knows, type Sought } from "./sought.ts";
import { Unquoter } from "./unquote.ts";

/** The longest escape that is expected, also inside another one and with indented lines between. */
export const LONGEST_ESCAPE = 10;
export const FURTHEST_INDENT = 64;
/** Three characters, however they are escaped, begin at most this far back. */
const NEAR = 40;
/** The length of the shortest value. */
const FEW = 6;
/** At most this many times the length of the text is read around single places. The rest is postponed, and read once from beginning to end. */
const MOST_TIMES = 1;
const ALWAYS = 16_384;
/** The number of characters that are postponed at a time. */
const PART = 4096;

const EQUALS = 0x3d;

/** 1: the character is base64, in either alphabet. */
export const IN_BASE64 = tableOf(/[A-Za-z0-9+/_-]/);
/** 1: the character is a hex digit or a separator between bytes. */
export const IN_HEX = tableOf(/[0-9A-Fa-f :]/);
/** The values of hex digits; 16: not a hex digit. */
export const DIGITS = new Uint8Array(256).map((_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(digit) ? 16 : digit;
});

/**
 * Finds places where a value may occur with escapes, line ends and quotes in it: unescaped, every group of four characters
 * is known, over the length of the shortest value.
 */
export class Runs {
  readonly #text: string;
  readonly #bytes: Uint8Array;
  readonly #length: number;
  readonly #sought: Sought;
  #unquoters: readonly [Unquoter, Unquoter] | undefined;
  #sawEquals = false;
  /** How many characters were read around places. */
  #read = 0;
  readonly #postponed: Range[] = [];
  /** Places before this one were postponed; for a search from beginning to end. */
  postponed = 0;

  constructor(text: string, bytes: Uint8Array, length: number, sought: Sought) {
    this.#text = text;
    this.#bytes = bytes;
    this.#length = length;
    this.#sought = sought;
  }

  /**
   * Whether a value may cover `at`. `fewest`: how many of each four characters have to be before `at`, because the others
   * are known already. Also false if the answer is left to `readPostponed`.
   */
  mayStandAt(at: number, fewest: number): boolean {
    if (at < this.postponed) return false;
    if (this.#read > ALWAYS + MOST_TIMES * this.#length) {
      this.#postpone(at);
      return false;
    }
    this.#unquoters ??= [new Unquoter(this.#text, false), new Unquoter(this.#text, true)];
    this.#sawEquals = at > 0 && this.#bytes[at - 1] === EQUALS;
    return (
      this.#isRun(at, fewest, this.#unquoters[0]) ||
      (this.#sawEquals && this.#isRun(at, fewest, this.#unquoters[1]))
    );
  }

  #isRun(at: number, fewest: number, unquoter: Unquoter): boolean {
    const { shortest } = this.#sought;
    // In most cases the nearest few characters are enough to say no.
    if (!this.#hasRun(this.#nearest(at), at, true, GRAM - fewest, GRAM, unquoter)) return false;
    if (!this.#hasRun(Math.max(0, at - FEW * LONGEST_ESCAPE), at, false, FEW + 2, FEW, unquoter))
      return false;
    const from = Math.max(0, at - shortest * LONGEST_ESCAPE - FURTHEST_INDENT);
    return this.#hasRun(from, at, false, shortest, shortest, unquoter);
  }

  /** Where to start reading to get three characters before `at`. */
  #nearest(at: number): number {
    const bytes = this.#bytes;
    const isPlain =
      at > 3 && IN_BASE64[bytes[at - 1]!]! + IN_BASE64[bytes[at - 2]!]! + IN_BASE64[bytes[at - 3]!]! === 3;
    // Digits may belong to an escape.
    return isPlain && DIGITS[bytes[at - 1]!] === 16 ? at - 3 : Math.max(0, at - NEAR);
  }

  /**
   * Whether `long` consecutive characters are known, of those that `unquoter` reads from `from` on, with at most `after` of
   * them from `at` on. `isAcross`: ignores groups of four characters that are entirely before `at`.
   */
  #hasRun(
    from: number,
    at: number,
    isAcross: boolean,
    after: number,
    long: number,
    unquoter: Unquoter,
  ): boolean {
    const end = Math.min(this.#length, at + after * LONGEST_ESCAPE + FURTHEST_INDENT);
    let gram = 0;
    let count = 0;
    let run = 0;
    let left = after;
    let index = from;
    for (; index < end && left > 0; index = unquoter.next) {
      const code = unquoter.read(index);
      if (isLeftOut(code)) continue;
      if (code === EQUALS) this.#sawEquals = true;
      gram = (gram >>> 8) | (code << 24);
      count += 1;
      if (index >= at) left -= 1;
      else if (isAcross) continue;
      run = count >= GRAM && knows(this.#sought, gram) ? run + 1 : 0;
      if (run + GRAM > long) break;
    }
    this.#read += index - from;
    return run + GRAM > long;
  }

  #postpone(at: number): void {
    const reach = this.#sought.shortest * LONGEST_ESCAPE + FURTHEST_INDENT;
    this.#postponed.push({ start: Math.max(0, at - reach), end: Math.min(this.#length, at + PART + reach) });
    this.postponed = at + PART;
  }

  /** Reads what was postponed once, and calls `tell` with the places where a value may be. */
  readPostponed(tell: (from: number, to: number) => void): void {
    for (const { start, end } of merged(this.#postponed)) {
      this.#readThrough(start, end, new Unquoter(this.#text, false), tell);
      const equals = this.#text.indexOf("=", start);
      if (equals !== -1 && equals < end) this.#readThrough(start, end, new Unquoter(this.#text, true), tell);
    }
  }

  #readThrough(
    from: number,
    end: number,
    unquoter: Unquoter,
    tell: (from: number, to: number) => void,
  ): void {
    const { shortest, reach } = this.#sought;
    let gram = 0;
    let run = 0;
    let told = 0;
    for (let at = from; at < end; at = unquoter.next) {
      const code = unquoter.read(at);
      if (isLeftOut(code)) continue;
      gram = (gram >>> 8) | (code << 24);
      run = knows(this.#sought, gram) ? run + 1 : 0;
      if (run + GRAM - 1 < shortest || at < told) continue;
      tell(at, unquoter.next);
      told = unquoter.next + reach;
    }
  }
}

/** Blanks, quotes, and what stands for no character. */
function isLeftOut(code: number): boolean {
  return code <= 0x20 || code === 0x22 || code === 0x27 || code === 0xa0;
}

/** The byte of two hex digits; if there are none, a number that no value contains. */
export function byteAt(bytes: Uint8Array, at: number): number {
  const first = DIGITS[bytes[at]!]!;
  const second = DIGITS[bytes[at + 1]!]!;
  return first < 16 && second < 16 ? first * 16 + second : NO_BYTE;
}
const NO_BYTE = 257;

export function tableOf(characters: RegExp): Uint8Array {
  return new Uint8Array(256).map((_, code) => (characters.test(String.fromCharCode(code)) ? 1 : 0));
}
