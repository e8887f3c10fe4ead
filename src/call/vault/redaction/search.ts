import { GRAM } from "./escape-tails.ts";
import { merged, type Range } from "./matcher.ts";
import { byteAt, DIGITS, FURTHEST_INDENT, IN_BASE64, IN_HEX, Runs, tableOf } from "./runs.ts";
import { knows, MIX, type Sought } from "./sought.ts";

/** So much of a value in base64, and not all of it, says that it may be there with escapes in it. */
const PART = 8;
/** A dump shows at most 16 bytes of a value in one piece. */
const LINE_OF_DUMP = 16;
/** One HTML escape inside another is looked into so often. */
const MAX_LEVELS = 4;

const [BACKSLASH, PERCENT, AMPERSAND, EQUALS, NUMBER] = [0x5c, 0x25, 0x26, 0x3d, 0x23];
const COLON = 0x3a;
const FOUR_BLANKS = 0x20202020;
const [SMALL_N, SMALL_R, SMALL_U, SMALL_X] = [0x6e, 0x72, 0x75, 0x78];

const SIGNS = ["\\", "%", "&"];
/** As many, and one in so many characters, are looked at one by one; more of them along with everything else. */
const SOME_SIGNS = 16;
const FAR_APART = 512;
/** What shells, YAML and CSV make of a quote inside a value. */
const QUOTES = ["''", '""', `'"'`, `"'"`];

/** 1: may stand before or after a part of a value: a blank, an escape, the end of one that ends a line. */
const AT_EDGES = tableOf(/[\s=\\&%nr]/);
/** 1: base64 may go on with this in the next line: as it is, as an escape, in quotes, or behind a sign that marks a line. */
const GOES_ON = tableOf(/[A-Za-z0-9+/_\-=%&\\"'>|#*]/);
/** 1: a line end, or the beginning of an escape. */
const IS_MARK = tableOf(/[\\&%]/).fill(1, 0, 0x10);

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
  /** Where the line begins after the end of one that was looked at last. */
  #breakEnd = 0;
  /** Up to here escapes and line ends were looked at. */
  #marked = 0;
  readonly #runs: Runs;

  /** `bytes`: the text, a byte a character, and some more that no value has. `places`: to write to. */
  constructor(text: string, bytes: Buffer, length: number, sought: Sought, places: Int32Array) {
    this.#places = places;
    this.#text = text;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#length = length;
    this.#sought = sought;
    this.#runs = new Runs(text, bytes, length, sought);
  }

  run(): Sifted {
    const signs = this.#sparseSigns();
    const hasSigns = signs === undefined;
    const { stride } = this.#sought;
    const places = this.#places;
    for (let from = 0; from <= this.#length - GRAM; ) {
      const count = findPlaces(this.#view, from, this.#length, hasSigns, this.#sought, places);
      this.#visit(places, count, hasSigns);
      // As many as there is room for at a time.
      from = count < places.length ? this.#length : places[count - 1]! + stride;
    }
    if (signs !== undefined) this.#escapes(signs);
    if (this.#sought.hasQuotes) for (const quotes of QUOTES) this.#quotes(quotes);
    this.#runs.readPostponed((from, to) => this.#keep(from, to));
    return { windows: merged(this.#windows), encoded: this.#encoded };
  }

  /** Where escapes may begin, those with one sign after those with another, unless there are many such places. */
  #sparseSigns(): number[] | undefined {
    const signs: number[] = [];
    for (const sign of SIGNS) {
      const before = signs.length;
      for (let at = this.#text.indexOf(sign); at !== -1; at = this.#text.indexOf(sign, at + 1)) {
        signs.push(at);
        if (signs.length - before > SOME_SIGNS + at / FAR_APART) return undefined;
      }
    }
    return signs;
  }

  #visit(places: Int32Array, count: number, hasSigns: boolean): void {
    let end = 0;
    for (let index = 0; index < count; index++) {
      const at = places[index]!;
      // Escapes that were found one by one are looked at later.
      if (hasSigns || endsIn(this.#view.getInt32(at, true)) !== 0) this.#marks(at);
      // What is known from one place to another is looked at once.
      if (at + GRAM > end && this.#isKnown(at)) end = this.#around(at);
    }
  }

  /** Looks at the escapes and line ends among four characters, of those that follow each other at the first. */
  #marks(from: number): void {
    const bytes = this.#bytes;
    let at = Math.max(from, this.#done, this.#marked, this.#runs.postponed);
    while (at < from + GRAM) {
      const code = bytes[at]!;
      if (IS_MARK[code] === 0) {
        at += 1;
        continue;
      }
      this.#breakEnd = 0;
      const isWorthIt =
        code < 0x10
          ? at > 0 && this.#sought.lineEnds[bytes[at - 1]!] === 1 && this.#isBrokenLine(at, at + 1)
          : this.#isEscape(at);
      if (isWorthIt && this.#runs.mayStandAt(at, 0)) this.#keep(at, at + 1);
      at = Math.max(this.#breakEnd, code === BACKSLASH ? this.#afterBackslashes(at) : at + 1);
      this.#marked = at;
    }
  }

  #escapes(places: readonly number[]): void {
    let before = Number.POSITIVE_INFINITY;
    for (const at of places) {
      if (at < before) this.#startOver();
      before = at;
      if (at >= this.#done && this.#isEscape(at) && this.#runs.mayStandAt(at, 0)) this.#keep(at, at + 1);
    }
  }

  #quotes(quotes: string): void {
    this.#startOver();
    for (let at = this.#text.indexOf(quotes); at !== -1; ) {
      if (this.#runs.mayStandAt(at, 0)) this.#keep(at, at + 1);
      at = this.#text.indexOf(quotes, Math.max(at + 1, this.#done, this.#runs.postponed));
    }
  }

  #startOver(): void {
    this.#done = 0;
    this.#runs.postponed = 0;
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

  #isEntity(at: number, level = 1): boolean {
    const { names, present } = this.#sought;
    const bytes = this.#bytes;
    const isAmpersand =
      bytes[at + 1] === 0x61 && bytes[at + 2] === 0x6d && bytes[at + 3] === 0x70 && bytes[at + 4] === 0x3b;
    // As `&amp;#39;`, which hides another one.
    if (isAmpersand && level < MAX_LEVELS && this.#isEntity(at + 4, level + 1)) return true;
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
    const next = this.#afterBreak(begin);
    this.#breakEnd = next;
    let last = end - 1;
    while (last >= 0 && last > end - FURTHEST_INDENT && bytes[last]! < 0x10) last -= 1;
    if (last < 0) return false;
    const before = bytes[last]!;
    if (before === EQUALS || before === BACKSLASH) return true;
    const isPacked = IN_BASE64[before] === 1 || before === 0x22 || before === 0x27;
    if (!this.#sought.hasBlanks && (!isPacked || GOES_ON[bytes[next]!] === 0)) return false;
    const first = last - GRAM + 1;
    if (this.#isKnown(next)) return true;
    // What is known with blanks before it is the beginning of a line.
    if (first >= 0 && (bytes[first] !== 0x20 || this.#sought.hasBlanks) && this.#isKnown(first)) return true;
    if (!isPacked) return false;
    // Of a value across the end of a longer line, four characters on one side are known.
    const most = next + Math.min(this.#sought.stride + GRAM, 2 * GRAM);
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
    if (AT_EDGES[this.#bytes[left - 1] ?? 0]! + AT_EDGES[this.#bytes[right]!]! === 0) return false;
    return (
      (left > 0 && this.#isEscape(left - 1) && this.#runs.mayStandAt(left - 1, 0)) ||
      ((this.#isBreak(right) || this.#isEscape(right)) && this.#runs.mayStandAt(right, 1)) ||
      (this.#isAfterBreak(left) && this.#runs.mayStandAt(left, 1))
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
    if (code === EQUALS) return next < 0x20 || (next >= 0x30 && next <= 0x46);
    return code < 0x20 && at > 0 && this.#sought.lineEnds[this.#bytes[at - 1]!] === 1;
  }

  #isAfterBreak(at: number): boolean {
    const bytes = this.#bytes;
    let before = at - 1;
    while (before > at - FURTHEST_INDENT && bytes[before] === 0x20) before -= 1;
    if (before < 0) return false;
    const code = bytes[before]!;
    if (code === EQUALS) return true;
    if ((code === SMALL_N || code === SMALL_R) && bytes[before - 1] === BACKSLASH) return true;
    return code < 0x20 && before > 0 && this.#sought.lineEnds[bytes[before - 1]!] === 1;
  }

  #isKnown(at: number): boolean {
    return knows(this.#sought, this.#view.getInt32(Math.min(at, this.#length), true));
  }

  #keep(from: number, to: number): void {
    const { reach } = this.#sought;
    const start = Math.max(0, from - reach);
    const end = Math.min(this.#length, to + 2 * reach);
    const last = this.#windows.at(-1);
    if (last && start >= last.start && start <= last.end)
      this.#windows[this.#windows.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else this.#windows.push({ start, end });
    this.#done = to + reach;
  }
}

/**
 * The places, one in every few, where four characters are known, a line ends among them that a value may go on after or, if
 * `hasSigns`, an escape begins. Returns how many there are; stops when `places` is full. The inner loops take most of the time
 * of a search: `mask` and `endsIn` are written out in them, which makes them a tenth to a fifth faster, and nothing is in them
 * that is seldom needed.
 */
function findPlaces(
  view: DataView,
  from: number,
  length: number,
  hasSigns: boolean,
  sought: Sought,
  places: Int32Array,
): number {
  const { bits, shift, stride, pairs, lineEnds } = sought;
  const mix = MIX;
  const last = length - GRAM;
  let count = 0;
  for (let at = from; count < places.length; ) {
    let gram = 0;
    let isWorthIt = false;
    if (hasSigns)
      for (; at <= last; at += stride) {
        gram = view.getInt32(at, true);
        const mixed = Math.imul(gram, mix);
        const both = (1 << (mixed >>> 9)) | (1 << ((mixed >>> 4) ^ (gram >>> 16)));
        const begins =
          pairs[gram & 0xffff]! |
          pairs[(gram >>> 8) & 0xffff]! |
          pairs[gram >>> 16]! |
          pairs[view.getUint16(at + GRAM - 1, true)]!;
        isWorthIt = (bits[mixed >>> shift]! & both) === both || begins !== 0;
        if (isWorthIt || ((gram - 0x10101010) & ~gram & 0x80808080) !== 0 || gram === FOUR_BLANKS) break;
      }
    else
      for (; at <= last; at += stride) {
        gram = view.getInt32(at, true);
        const mixed = Math.imul(gram, mix);
        const both = (1 << (mixed >>> 9)) | (1 << ((mixed >>> 4) ^ (gram >>> 16)));
        isWorthIt = (bits[mixed >>> shift]! & both) === both;
        if (isWorthIt || ((gram - 0x10101010) & ~gram & 0x80808080) !== 0 || gram === FOUR_BLANKS) break;
      }
    if (at > last) break;
    if (!isWorthIt) {
      let ends = endsIn(gram);
      if (ends === 0) {
        // What a line is indented by is passed. Behind the text are no blanks.
        at += GRAM;
        while (view.getUint8(at) === 0x20) at += 1;
        continue;
      }
      const before = at === 0 ? 0 : view.getInt32(at - 1, true);
      let mayGoOn = 0;
      for (; ends !== 0; ends &= ends - 1)
        mayGoOn |= lineEnds[(before >>> (24 - Math.clz32(ends & -ends))) & 0xff]!;
      if (mayGoOn === 0) {
        at += stride;
        continue;
      }
    }
    places[count] = at;
    count += 1;
    at += stride;
  }
  return count;
}

/** A bit for each of four characters that is below 16: a line end or a tab. */
function endsIn(gram: number): number {
  return (gram - 0x10101010) & ~gram & 0x80808080;
}
