import { GRAM } from "./escape-tails.ts";
import { merged, type Range } from "./matcher.ts";
import { knows, type Sought } from "./sought.ts";
import { Unquoter } from "./unquote.ts";

/** An escape is hardly longer, also inside another one and with indented lines between. */
export const LONGEST_ESCAPE = 10;
export const FURTHEST_INDENT = 64;
/** So far back at most begins what is three characters, however they are written. */
const NEAR = 40;
/** The shortest value has as many. */
const FEW = 6;
/** Of a text, so many times its length is read around single places; then what is left is read from its beginning to its end. */
const MOST_TIMES = 1;
const ALWAYS = 16_384;
/** So much is postponed at a time. */
const PART = 4096;

const EQUALS = 0x3d;

/** 1: of base64, in either alphabet. */
export const IN_BASE64 = tableOf(/[A-Za-z0-9+/_-]/);
/** 1: stands in hex, with what is between bytes. */
export const IN_HEX = tableOf(/[0-9A-Fa-f :]/);
/** What hex digits stand for, 16 for others. */
export const DIGITS = new Uint8Array(256).map((_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(digit) ? 16 : digit;
});

/** Tells where a value may stand with escapes, line ends and quotes in it: what these stand for is known, four characters each, for as long as the shortest value is. */
export class Runs {
  readonly #text: string;
  readonly #bytes: Uint8Array;
  readonly #length: number;
  readonly #sought: Sought;
  #unquoters: readonly [Unquoter, Unquoter] | undefined;
  #sawEquals = false;
  /** How much was read around places. */
  #read = 0;
  readonly #postponed: Range[] = [];
  /** Places before this one were postponed, for whoever goes from the beginning to the end. */
  postponed = 0;

  constructor(text: string, bytes: Uint8Array, length: number, sought: Sought) {
    this.#text = text;
    this.#bytes = bytes;
    this.#length = length;
    this.#sought = sought;
  }

  /**
   * Whether a value may stand across `at`. `fewest`: how many of four characters have to stand before `at`, so that they are
   * not known already. False as well where that is left to `readPostponed`.
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
    // Most often the nearest few are enough to say no.
    if (!this.#hasRun(this.#nearest(at), at, true, GRAM - fewest, GRAM, unquoter)) return false;
    if (!this.#hasRun(Math.max(0, at - FEW * LONGEST_ESCAPE), at, false, FEW + 2, FEW, unquoter))
      return false;
    const from = Math.max(0, at - shortest * LONGEST_ESCAPE - FURTHEST_INDENT);
    return this.#hasRun(from, at, false, shortest, shortest, unquoter);
  }

  /** From where to read to know three characters before `at`. */
  #nearest(at: number): number {
    const bytes = this.#bytes;
    const isPlain =
      at > 3 && IN_BASE64[bytes[at - 1]!]! + IN_BASE64[bytes[at - 2]!]! + IN_BASE64[bytes[at - 3]!]! === 3;
    // Its digits may be those of an escape.
    return isPlain && DIGITS[bytes[at - 1]!] === 16 ? at - 3 : Math.max(0, at - NEAR);
  }

  /**
   * Whether `long` characters that follow each other are known, of those that `unquoter` reads from `from` on and up to `after`
   * of them from `at` on. `isAcross`: only four characters each that do not all stand before `at`.
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

  /** Reads what was postponed, each once, and tells where a value may stand. */
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

/** Blanks and quotes, and what stands for nothing. */
function isLeftOut(code: number): boolean {
  return code <= 0x20 || code === 0x22 || code === 0x27 || code === 0xa0;
}

/** What two hex digits stand for; where there are none, something that no value has. */
export function byteAt(bytes: Uint8Array, at: number): number {
  const first = DIGITS[bytes[at]!]!;
  const second = DIGITS[bytes[at + 1]!]!;
  return first < 16 && second < 16 ? first * 16 + second : NO_BYTE;
}
const NO_BYTE = 257;

export function tableOf(characters: RegExp): Uint8Array {
  return new Uint8Array(256).map((_, code) => (characters.test(String.fromCharCode(code)) ? 1 : 0));
}
