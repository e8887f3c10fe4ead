import { GRAM } from "./escape-tails.ts";
import type { Range } from "./matcher.ts";
import type { Sought } from "./sought.ts";
import { Unquoter } from "./unquote.ts";

export const MIX = 0x9e3779b1;
/** So far back at most begins what is three characters, however they are written. */
const NEAR = 40;
/** An escape is hardly longer, also inside another one and with indented lines between. */
export const LONGEST_ESCAPE = 10;
const MOST_CODES = 4096;
/** The shortest value has as many. */
const FEW = 6;
/** So much of a value in base64, and not all of it, says that it may be there with escapes in it. */
const PART = 8;
/** A dump shows at most 16 bytes of a value in one piece. */
const LINE_OF_DUMP = 16;
const FURTHEST_INDENT = 64;

const [BACKSLASH, PERCENT, AMPERSAND, EQUALS, NUMBER] = [0x5c, 0x25, 0x26, 0x3d, 0x23];
const COLON = 0x3a;
const TWO_BLANKS = 0x2020;
const [SMALL_N, SMALL_R, SMALL_U, SMALL_X] = [0x6e, 0x72, 0x75, 0x78];

const SIGNS = ["\\", "%", "&"];
/** From so many on, they are looked for together. */
const MANY_SIGNS = 96;
/** What shells, YAML and CSV make of a quote inside a value. */
const QUOTES = ["''", '""', `'"'`, `"'"`];

/** 1: of base64, in either alphabet. */
const IN_BASE64 = tableOf(/[A-Za-z0-9+/_-]/);
/** 1: stands in hex, with what is between bytes. */
const IN_HEX = tableOf(/[0-9A-Fa-f :]/);
/** What hex digits stand for, 16 for others. */
const DIGITS = new Uint8Array(256).map((_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(digit) ? 16 : digit;
});

/** What was found worth a closer look. */
export interface Sifted {
  /** Where a value may stand. In order, apart from each other. */
  readonly windows: readonly Range[];
  /** Places where a good part of a value may stand: inside of base64, the rest of it may have escapes. */
  readonly encoded: readonly number[];
}

/** What the first three characters of an HTML name are mixed to. */
export function nameAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 6) ^ (bytes[at + 1]! << 3) ^ bytes[at + 2]!) & 4095;
}

/** One search through one text; see `Sieve`. */
export class Search {
  readonly #windows: Range[] = [];
  readonly #encoded: number[] = [];
  readonly #text: string;
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #length: number;
  readonly #sought: Sought;
  readonly #places: Int32Array;
  /** Up to here everything is in a window already, for whoever goes from the beginning to the end. */
  #done = 0;
  #unquoters: readonly [Unquoter, Unquoter] | undefined;
  /** The characters around a place, without escapes, blanks and quotes. */
  #codes: Uint8Array | undefined;
  #sawEquals = false;

  /** `bytes`: the text, a byte a character, and some more that no value has. `places`: to write to. */
  constructor(text: string, bytes: Buffer, length: number, sought: Sought, places: Int32Array) {
    this.#places = places;
    this.#text = text;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#length = length;
    this.#sought = sought;
  }

  run(): Sifted {
    const signs = this.#sparseSigns();
    const find = signs === undefined ? findMarked : findKnown;
    const { stride } = this.#sought;
    const places = this.#places;
    for (let from = 0; from <= this.#length - GRAM; ) {
      const count = find(this.#view, from, this.#length, this.#sought, places);
      this.#visit(places, count);
      // As many as there is room for at a time.
      from = count < places.length ? this.#length : places[count - 1]! + stride;
    }
    if (signs !== undefined) this.#everywhere(signs);
    if (this.#sought.hasQuotes) for (const quotes of QUOTES) this.#everywhere(this.#placesOf(quotes));
    return { windows: merged(this.#windows), encoded: this.#encoded };
  }

  /** Where escapes may begin, unless there are many such places. */
  #sparseSigns(): number[] | undefined {
    const signs: number[] = [];
    for (const sign of SIGNS) {
      for (let at = this.#text.indexOf(sign); at !== -1; at = this.#text.indexOf(sign, at + 1)) {
        signs.push(at);
        if (signs.length > MANY_SIGNS) return undefined;
      }
    }
    return signs.sort((a, b) => a - b);
  }

  #placesOf(quotes: string): number[] {
    const places: number[] = [];
    for (let at = this.#text.indexOf(quotes); at !== -1; at = this.#text.indexOf(quotes, at + 1))
      places.push(at);
    return places;
  }

  #visit(places: Int32Array, count: number): void {
    const { pairs, lastPairs } = this.#sought;
    let end = 0;
    for (let index = 0; index < count; index++) {
      const at = places[index]!;
      const gram = this.#view.getInt32(at, true);
      if ((gram & 0xffff) === TWO_BLANKS && at >= this.#done) this.#indent(at);
      const marks = pairs[gram & 0xffff]! | pairs[(gram >>> 8) & 0xffff]! | lastPairs[gram >>> 16]!;
      if ((marks & 1) !== 0) this.#marks(at);
      // What is known from one place to another is looked at once.
      if (at + GRAM > end && this.#isKnown(at)) end = this.#around(at);
    }
  }

  /** Where quotes or escapes stand. */
  #everywhere(places: readonly number[]): void {
    this.#done = 0;
    for (const at of places) {
      const code = this.#bytes[at];
      if (at < this.#done || (code !== 0x22 && code !== 0x27 && !this.#isEscape(at))) continue;
      if (this.#mayStandAt(at, 0)) this.#keep(at, at + 1);
    }
  }

  /** Looks at what follows the blanks at the beginning of a line. */
  #indent(at: number): void {
    let next = at + 2;
    while (next < at + FURTHEST_INDENT && this.#bytes[next] === 0x20) next += 1;
    if (IN_BASE64[this.#bytes[next]!] === 0 || !this.#isKnown(next)) return;
    if (this.#isAfterBreak(next) && this.#mayStandAt(next, 1)) this.#keep(at, next);
  }

  /** Looks at the escapes and line ends among four characters. */
  #marks(from: number): void {
    const bytes = this.#bytes;
    const { pairs } = this.#sought;
    for (let at = Math.max(from, this.#done); at < from + GRAM; at++) {
      const code = bytes[at]!;
      let isWorthIt = false;
      if (code < 0x10)
        isWorthIt = at > 0 && pairs[bytes[at - 1]! | (code << 8)] !== 0 && this.#isBrokenLine(at, at + 1);
      else if (code === BACKSLASH || code === AMPERSAND || code === PERCENT) isWorthIt = this.#isEscape(at);
      if (isWorthIt && this.#mayStandAt(at, 0)) this.#keep(at, at + 1);
    }
  }

  /** Whether what begins at `at` may hide a character of a value, or the end of a line of one. */
  #isEscape(at: number): boolean {
    const code = this.#bytes[at]!;
    if (code !== BACKSLASH && code !== AMPERSAND && code !== PERCENT) return false;
    if (this.#sought.pairs[code | (this.#bytes[at + 1]! << 8)] === 0) return false;
    if (code === BACKSLASH) return this.#isBackslash(at);
    return code === AMPERSAND ? this.#isEntity(at) : this.#isPercent(at);
  }

  #isBackslash(at: number): boolean {
    const { hidden, present } = this.#sought;
    const bytes = this.#bytes;
    const next = this.#afterBackslashes(at);
    const code = bytes[next]!;
    if (hidden[code] === 0) return next > at + 1 && hidden[BACKSLASH] === 1;
    if (code === SMALL_N || code === SMALL_R) return this.#isBrokenLine(at, next + 1);
    if (code === SMALL_U && DIGITS[bytes[next + 1]!]! < 16) {
      const high = (DIGITS[bytes[next + 1]!]! << 4) | DIGITS[bytes[next + 2]!]!;
      return present[high > 0 ? 256 : byteAt(bytes, next + 3)] === 1;
    }
    if (code === SMALL_X) return present[byteAt(bytes, next + 1)] === 1;
    return true;
  }

  #afterBackslashes(at: number): number {
    let next = at + 1;
    while (next < at + FURTHEST_INDENT && this.#bytes[next] === BACKSLASH) next += 1;
    return next;
  }

  #isPercent(at: number): boolean {
    const code = this.#bytes[at + 1]! | 0x20;
    // Either one escape inside another, or a character by its number.
    if (code === SMALL_U) return true;
    const byte = byteAt(this.#bytes, at + 1);
    return byte === PERCENT || this.#sought.present[byte] === 1;
  }

  #isEntity(at: number): boolean {
    const { names, present } = this.#sought;
    const bytes = this.#bytes;
    const isAmpersand =
      bytes[at + 1] === 0x61 && bytes[at + 2] === 0x6d && bytes[at + 3] === 0x70 && bytes[at + 4] === 0x3b;
    // As `&amp;#39;`, which hides another one.
    if (isAmpersand && this.#isEntity(at + 4)) return true;
    if (bytes[at + 1] !== NUMBER) return names[nameAt(bytes, at + 1)] === 1;
    const isHex = (bytes[at + 2]! | 0x20) === SMALL_X;
    const base = isHex ? 16 : 10;
    let code = 0;
    for (let digit = at + (isHex ? 3 : 2); DIGITS[bytes[digit]!]! < base && code < 0x110000; digit++)
      code = code * base + DIGITS[bytes[digit]!]!;
    return present[Math.min(code, 256)] === 1;
  }

  /**
   * Whether a value may go on after a line that ends at `end`. One in long lines of base64 is found by the part of it that is
   * on one side of that; what is left is in short lines, or folded at a blank or where a sign says that the line goes on.
   */
  #isBrokenLine(end: number, begin: number): boolean {
    const bytes = this.#bytes;
    let last = end - 1;
    while (last >= 0 && last > end - FURTHEST_INDENT && bytes[last]! < 0x10) last -= 1;
    if (last < 0) return false;
    const before = bytes[last]!;
    if (before === EQUALS || before === BACKSLASH) return true;
    const isPacked = IN_BASE64[before] === 1 || before === 0x22 || before === 0x27;
    if (!isPacked && !this.#sought.hasBlanks) return false;
    const next = this.#afterBreak(begin);
    if (this.#isKnown(next) || (last >= GRAM - 1 && this.#isKnown(last - GRAM + 1))) return true;
    if (!isPacked) return false;
    const most = next + this.#sought.stride + GRAM;
    let at = next;
    while (at < most && IN_BASE64[bytes[at]!] === 1) at += 1;
    return (
      at > next &&
      at < most &&
      (at >= this.#length || bytes[at] === EQUALS || bytes[at] === 0x22 || this.#isBreak(at))
    );
  }

  /** Where the next line begins that is not empty, without what it is indented by. */
  #afterBreak(begin: number): number {
    const bytes = this.#bytes;
    const most = Math.min(this.#length, begin + FURTHEST_INDENT);
    let at = begin;
    while (at < most) {
      if (bytes[at]! <= 0x20) at += 1;
      else if (bytes[at] === BACKSLASH) {
        const next = this.#afterBackslashes(at);
        if (bytes[next] !== SMALL_N && bytes[next] !== SMALL_R) return at;
        at = next + 1;
      } else return at;
    }
    return at;
  }

  /** Looks at what is known around a place, and returns where that ends. */
  #around(at: number): number {
    let left = at;
    while (left > this.#done && this.#isKnown(left - 1)) left -= 1;
    let right = at + GRAM;
    while (right < this.#length && this.#isKnown(right - GRAM + 1)) right += 1;
    if (right - left >= PART && this.#encoded.at(-1) !== left) this.#encoded.push(left);
    const fewest = Math.min(LINE_OF_DUMP, this.#fewest(left, right));
    if (right - left >= fewest) this.#keep(left, right);
    else if (at >= this.#done && this.#goesOn(left, right)) this.#keep(left, right);
    return right;
  }

  /** Whether a value may go on before or after what is known, where a line ends or an escape stands. */
  #goesOn(left: number, right: number): boolean {
    return (
      (left > 0 && this.#isEscape(left - 1) && this.#mayStandAt(left - 1, 0)) ||
      ((this.#isBreak(right) || this.#isEscape(right)) && this.#mayStandAt(right, 1)) ||
      (this.#isAfterBreak(left) && this.#mayStandAt(left, 1))
    );
  }

  /** How much has to be known to be a value. In hex, where a line of a dump ends may be half of one. */
  #fewest(left: number, right: number): number {
    const { shortest, shortestHex } = this.#sought;
    if (right - left < shortest || !this.#isHex(left, right)) return shortest;
    const isAtEnd = this.#isBlank(right) && (this.#isBlank(right - 1) || this.#isBlank(right + 1));
    const isAtBegin = this.#isBlank(left - 1) && (this.#isBlank(left - 2) || this.#bytes[left - 2] === COLON);
    const isAtEdge = isAtEnd || isAtBegin;
    return isAtEdge ? shortestHex / 2 : shortestHex;
  }

  #isBlank(at: number): boolean {
    return at < 0 || at >= this.#length || this.#bytes[at]! <= 0x20;
  }

  #isHex(from: number, to: number): boolean {
    for (let at = from; at < to; at++) if (IN_HEX[this.#bytes[at]!] === 0) return false;
    return true;
  }

  /** Whether a line ends here, as it is, as an escape, or as quoted-printable has it, which may escape something here, too. */
  #isBreak(at: number): boolean {
    const code = this.#bytes[at]!;
    const next = this.#bytes[at + 1]!;
    if (code === BACKSLASH) return next === SMALL_N || next === SMALL_R || next === BACKSLASH;
    return code < 0x20 || (code === EQUALS && (next < 0x20 || (next >= 0x30 && next <= 0x46)));
  }

  #isAfterBreak(at: number): boolean {
    const bytes = this.#bytes;
    let before = at - 1;
    while (before > at - FURTHEST_INDENT && bytes[before] === 0x20) before -= 1;
    if (before < 0) return false;
    const code = bytes[before]!;
    return (
      code < 0x20 ||
      code === EQUALS ||
      ((code === SMALL_N || code === SMALL_R) && bytes[before - 1] === BACKSLASH)
    );
  }

  #isKnown(at: number): boolean {
    const place =
      Math.imul(this.#view.getUint32(Math.min(at, this.#length), true), MIX) >>> this.#sought.shift;
    return (this.#sought.bits[place >>> 5]! & (1 << (place & 31))) !== 0;
  }

  #keep(from: number, to: number): void {
    const { reach } = this.#sought;
    this.#windows.push({ start: Math.max(0, from - reach), end: Math.min(this.#length, to + 2 * reach) });
    this.#done = to + reach;
  }

  /**
   * Whether a value may stand across `at`: what its escapes stand for is known, for as long as the shortest value is.
   * `fewest`: how many of four characters have to stand before `at`, so that they are not known already.
   */
  #mayStandAt(at: number, fewest: number): boolean {
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
    if (this.#longestRun(this.#nearest(at), at, GRAM - 1, GRAM - fewest, unquoter) === 0) return false;
    if (this.#longestRun(Math.max(0, at - FEW * LONGEST_ESCAPE), at, MOST_CODES, FEW + 2, unquoter) < FEW)
      return false;
    const from = Math.max(0, at - shortest * LONGEST_ESCAPE - FURTHEST_INDENT);
    return this.#longestRun(from, at, MOST_CODES, shortest, unquoter) >= shortest;
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
   * How many characters that follow each other are known, of those that `unquoter` reads from `from` on: at most `before` of
   * them before `at`, and `after` from there on.
   */
  #longestRun(from: number, at: number, before: number, after: number, unquoter: Unquoter): number {
    const { bits, shift } = this.#sought;
    this.#codes ??= new Uint8Array(2 * MOST_CODES);
    const codes = this.#codes;
    let count = 0;
    let middle = -1;
    const end = Math.min(this.#length, at + after * LONGEST_ESCAPE + FURTHEST_INDENT);
    for (let index = from; index < end; index = unquoter.next) {
      if (middle === -1 && index >= at) middle = count;
      if (middle !== -1 && count >= middle + after) break;
      const code = unquoter.read(index);
      if (code <= 0x20 || code === 0x22 || code === 0x27 || code === 0xa0) continue;
      if (code === EQUALS) this.#sawEquals = true;
      codes[count] = code & 0xff;
      count += 1;
    }
    let longest = 0;
    let run = 0;
    for (let each = Math.max(0, (middle === -1 ? count : middle) - before); each <= count - GRAM; each++) {
      const gram =
        codes[each]! | (codes[each + 1]! << 8) | (codes[each + 2]! << 16) | (codes[each + 3]! << 24);
      const place = Math.imul(gram, MIX) >>> shift;
      run = (bits[place >>> 5]! & (1 << (place & 31))) === 0 ? 0 : run + 1;
      if (run > longest) longest = run;
    }
    return longest === 0 ? 0 : longest + GRAM - 1;
  }
}

/** What two hex digits stand for; where there are none, something that no value has. */
function byteAt(bytes: Uint8Array, at: number): number {
  const first = DIGITS[bytes[at]!]!;
  const second = DIGITS[bytes[at + 1]!]!;
  return first < 16 && second < 16 ? first * 16 + second : NO_BYTE;
}
const NO_BYTE = 257;

function tableOf(characters: RegExp): Uint8Array {
  return new Uint8Array(256).map((_, code) => (characters.test(String.fromCharCode(code)) ? 1 : 0));
}

/**
 * The places, one in every few, where four characters are known, a line ends among them or it may be indented. Returns how many there are; stops
 * when `places` is full. By itself and without anything else in it, because it takes most of the time.
 */
function findKnown(view: DataView, from: number, length: number, sought: Sought, places: Int32Array): number {
  const { bits, shift, stride } = sought;
  const last = length - GRAM;
  const most = places.length;
  let count = 0;
  for (let at = from; at <= last && count < most; at += stride) {
    const gram = view.getInt32(at, true);
    const place = Math.imul(gram, MIX) >>> shift;
    const isKnown = bits[place >>> 5]! & (1 << (place & 31));
    // Whether one of the four bytes is below 16: a line end or a tab.
    const hasLineEnd = (gram - 0x10101010) & ~gram & 0x80808080;
    if ((hasLineEnd | isKnown) === 0) {
      if ((gram & 0xffff) !== TWO_BLANKS) continue;
      let next = at + 2;
      while (next < at + FURTHEST_INDENT && next < length && view.getUint8(next) === 0x20) next += 1;
      if (IN_BASE64[view.getUint8(next)] === 0) continue;
    }
    places[count] = at;
    count += 1;
  }
  return count;
}

/** The same, and where an escape begins among the four. */
function findMarked(
  view: DataView,
  from: number,
  length: number,
  sought: Sought,
  places: Int32Array,
): number {
  const { bits, shift, stride, pairs, lastPairs } = sought;
  const last = length - GRAM;
  const most = places.length;
  let count = 0;
  for (let at = from; at <= last && count < most; at += stride) {
    const gram = view.getInt32(at, true);
    const place = Math.imul(gram, MIX) >>> shift;
    const isKnown = bits[place >>> 5]! & (1 << (place & 31));
    const marks = pairs[gram & 0xffff]! | pairs[(gram >>> 8) & 0xffff]! | lastPairs[gram >>> 16]!;
    if ((marks | isKnown) === 0) continue;
    places[count] = at;
    count += 1;
  }
  return count;
}

function merged(windows: Range[]): Range[] {
  const result: Range[] = [];
  for (const next of windows.sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && next.start <= last.end)
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, next.end) };
    else result.push(next);
  }
  return result;
}
