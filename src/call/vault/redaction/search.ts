import { GRAM } from "./escape-tails.ts";
import { merged, type Range } from "./matcher.ts";
import { byteAt, DIGITS, FURTHEST_INDENT, IN_BASE64, IN_HEX, Runs, tableOf } from "./runs.ts";
import { knows, MIX, mask, type Sought } from "./sought.ts";

/** This many known characters of a value in base64 show that the rest may be there with escapes. */
const PART = 8;
/** A dump has at most 16 bytes of a value in one line. */
const LINE_OF_DUMP = 16;
/** How many HTML escapes inside each other are followed. */
const MAX_LEVELS = 4;

const [BACKSLASH, PERCENT, AMPERSAND, EQUALS, NUMBER] = [0x5c, 0x25, 0x26, 0x3d, 0x23];
const COLON = 0x3a;
export const FOUR_BLANKS = 0x20202020;
const [SMALL_N, SMALL_R, SMALL_U, SMALL_X] = [0x6e, 0x72, 0x75, 0x78];

const SIGNS = ["\\", "%", "&"];
/** Up to this many signs, and one more in every `FAR_APART` characters, are looked at one by one; otherwise together with everything else. */
const SOME_SIGNS = 16;
const FAR_APART = 512;
/** How shells, YAML and CSV write a quote inside a value. */
const QUOTES = ["''", '""', `'"'`, `"'"`];

/** 1: may come before a part of a value: an escape, the end of an escaped line end, a line end or an indentation. */
const BEFORE_PART = tableOf(/[\t-\r =\\&%nr]/);
/** 1: may come after a part of a value: an escape or a line end. */
const AFTER_PART = tableOf(/[\t-\r=\\&%]/);
/** 1: base64 may continue with this in the next line: as it is, escaped, in quotes, or after a line mark. */
const GOES_ON = tableOf(/[A-Za-z0-9+/_\-=%&\\"'>|#*]/);

/** Added to a place: it is an escape or a line end; otherwise it is four known characters. */
const MARK = 1;
/** The most that one group gives: it is known, and each of its four characters is a mark. */
const MOST_PLACES = GRAM + 1;

/** What has to be looked at closer. */
export interface Sifted {
  /** Where a value may be. In order, without overlaps. */
  readonly windows: readonly Range[];
  /** Places with a good part of a value, whose rest may be escaped inside base64. */
  readonly encoded: readonly number[];
}

/** The hash of the first three characters of an HTML entity name. */
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
  /** Everything before this is in a window already; for a search from beginning to end. */
  #done = 0;
  /** Where the line after the last line end begins. */
  #breakEnd = 0;
  /** Escapes and line ends before this were looked at. */
  #marked = 0;
  readonly #runs: Runs;

  /** `bytes`: the text with one byte for each character, and some more that no value contains. `places`: a buffer to write to. */
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
    const places = this.#places;
    // As many at a time as the buffer certainly has room for.
    const step = this.#sought.stride * Math.floor(places.length / MOST_PLACES);
    const last = this.#length - GRAM;
    for (let from = 0; from <= last; from += step) {
      const to = Math.min(last, from + step - 1);
      this.#visit(findPlaces(this.#view, from, to, hasSigns, this.#sought, places));
    }
    if (signs !== undefined) this.#escapes(signs);
    if (this.#sought.hasQuotes) for (const quotes of QUOTES) this.#quotes(quotes);
    this.#runs.readPostponed((from, to) => this.#keep(from, to));
    return { windows: merged(this.#windows), encoded: this.#encoded };
  }

  /** Where escapes may begin, sign by sign; undefined: there are too many such places. */
  #sparseSigns(): number[] | undefined {
    const signs: number[] = [];
    for (const sign of SIGNS) {
      let count = 0;
      for (let at = this.#text.indexOf(sign); at !== -1; at = this.#text.indexOf(sign, at + 1)) {
        count += 1;
        if (count > SOME_SIGNS + at / FAR_APART) return undefined;
        if (this.#isEscape(at)) signs.push(at);
      }
    }
    return signs;
  }

  #visit(count: number): void {
    const places = this.#places;
    let end = 0;
    for (let index = 0; index < count; index++) {
      const place = places[index]!;
      const at = place >> 1;
      if ((place & 1) === MARK) this.#mark(at);
      // Places within the same known characters are looked at once.
      else if (at + GRAM > end) end = this.#around(at);
    }
  }

  /** Looks at an escape or a line end; of several in a row, at the first. */
  #mark(at: number): void {
    if (at < this.#marked || at < this.#done || at < this.#runs.postponed) return;
    const code = this.#bytes[at]!;
    this.#breakEnd = at + 1;
    const isWorthIt = code < 0x10 ? at > 0 && this.#isBrokenLine(at, at + 1) : this.#isEscape(at);
    if (isWorthIt && this.#runs.mayStandAt(at, 0)) this.#keep(at, at + 1);
    this.#marked = code === BACKSLASH ? Math.max(this.#breakEnd, this.#afterBackslashes(at)) : this.#breakEnd;
  }

  #escapes(places: readonly number[]): void {
    let before = Number.POSITIVE_INFINITY;
    for (const at of places) {
      if (at < before) this.#startOver();
      before = at;
      if (at >= this.#done && this.#runs.mayStandAt(at, 0)) this.#keep(at, at + 1);
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

  /** Whether an escape for a character of a value, or for a line end in one, may begin at `at`. */
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
    // One escape inside another, or a character by its number.
    if (code === SMALL_U) return true;
    const byte = byteAt(this.#bytes, at + 1);
    return byte === PERCENT || this.#sought.present[byte] === 1;
  }

  #isEntity(at: number, level = 1): boolean {
    const { names, present } = this.#sought;
    const bytes = this.#bytes;
    const isAmpersand =
      bytes[at + 1] === 0x61 && bytes[at + 2] === 0x6d && bytes[at + 3] === 0x70 && bytes[at + 4] === 0x3b;
    // One inside another, such as `&amp;#39;`.
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
   * Whether a value may continue after a line that ends at `end`. In long lines of base64 the part on one side is enough to
   * find a value; here it is about short lines, and lines folded at a blank or with a continuation sign.
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
    // Known characters with blanks before them are the beginning of a line.
    if (first >= 0 && (bytes[first] !== 0x20 || this.#sought.hasBlanks) && this.#isKnown(first)) return true;
    if (!isPacked) return false;
    // If a value crosses the end of a longer line, four characters on one side are known.
    const most = next + Math.min(this.#sought.stride + GRAM, 2 * GRAM);
    let at = next;
    while (at < most && IN_BASE64[bytes[at]!] === 1) at += 1;
    return (
      at > next &&
      at < most &&
      (at >= this.#length || bytes[at] === EQUALS || bytes[at] === 0x22 || this.#isBreak(at))
    );
  }

  /** Where the text of the next line that is not empty begins, after its indentation. */
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

  /** Looks at the known characters around a place, and returns where they end. */
  #around(at: number): number {
    const left = knownFrom(this.#view, at, this.#done, this.#sought);
    const right = knownTo(this.#view, at, this.#length, this.#sought);
    if (right - left >= PART && this.#encoded.at(-1) !== left) this.#encoded.push(left);
    const fewest = Math.min(LINE_OF_DUMP, this.#fewest(left, right));
    if (right - left >= fewest) this.#keep(left, right);
    else if (at >= this.#done && this.#goesOn(left, right)) this.#keep(left, right);
    return right;
  }

  /** Whether a value may continue before or after known characters, over a line end or an escape. */
  #goesOn(left: number, right: number): boolean {
    if (BEFORE_PART[this.#bytes[left - 1] ?? 0]! + AFTER_PART[this.#bytes[right]!]! === 0) return false;
    return (
      (left > 0 && this.#isEscape(left - 1) && this.#runs.mayStandAt(left - 1, 0)) ||
      ((this.#isBreak(right) || this.#isEscape(right)) && this.#runs.mayStandAt(right, 1)) ||
      (this.#isAfterBreak(left) && this.#runs.mayStandAt(left, 1))
    );
  }

  /** How many known characters may be a value. At the edge of a line of a hex dump, half a value is enough. */
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

  /** Whether a line ends here: plain, escaped, or in quoted-printable, which may also have an escape here. */
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
 * Looks up one group of four characters in every `stride`, from `from` to `last`. Writes to `places` where a group is known
 * and, with `MARK`, where in a group a line ends after which a value may continue or, if `hasSigns`, an escape begins. Each
 * place is shifted by one bit. Returns the number of places. The inner loops take most of the time of a search: they call
 * no functions, and contain nothing that is seldom needed.
 */
function findPlaces(
  view: DataView,
  from: number,
  last: number,
  hasSigns: boolean,
  sought: Sought,
  places: Int32Array,
): number {
  const { bits, shift, stride, pairs, signs, lineEnds } = sought;
  const mix = MIX;
  let count = 0;
  for (let at = from; ; ) {
    let gram = 0;
    let mayBeKnown = 0;
    // The first of the two bits of `mask` is enough to stop here: few other groups have it, and four blanks do.
    if (hasSigns)
      for (; at <= last; at += stride) {
        gram = view.getInt32(at, true);
        const mixed = Math.imul(gram, mix);
        mayBeKnown = (bits[mixed >>> shift]! >>> (mixed >>> 9)) & 1;
        if ((mayBeKnown | signs[gram & 0xffff]! | signs[gram >>> 16]!) !== 0) break;
        if (((gram - 0x10101010) & ~gram & 0x80808080) !== 0) break;
      }
    else
      for (; at <= last; at += stride) {
        gram = view.getInt32(at, true);
        const mixed = Math.imul(gram, mix);
        mayBeKnown = (bits[mixed >>> shift]! >>> (mixed >>> 9)) & 1;
        if (mayBeKnown !== 0) break;
        if (((gram - 0x10101010) & ~gram & 0x80808080) !== 0) break;
      }
    if (at > last) return count;
    let marks = hasSigns
      ? pairs[gram & 0xffff]! |
        (pairs[(gram >>> 8) & 0xffff]! << 1) |
        (pairs[gram >>> 16]! << 2) |
        (pairs[view.getUint16(at + GRAM - 1, true)]! << 3)
      : 0;
    if (endsIn(gram) !== 0) {
      const before = at === 0 ? 0 : view.getInt32(at - 1, true);
      for (let ends = endsIn(gram); ends !== 0; ends &= ends - 1) {
        const end = 24 - Math.clz32(ends & -ends);
        marks |= lineEnds[(before >>> end) & 0xff]! << (end >> 3);
      }
    }
    for (; marks !== 0; marks &= marks - 1) {
      const mark = at + 31 - Math.clz32(marks & -marks);
      if (!mayBeInside(view, mark, sought.hasBlanks)) continue;
      places[count] = (mark << 1) | MARK;
      count += 1;
    }
    if (mayBeKnown !== 0 && knows(sought, gram) && !isAlone(view, at, sought)) {
      places[count] = at << 1;
      count += 1;
    }
    // Skips an indentation.
    at = gram === FOUR_BLANKS ? afterBlanks(view, at) : at + stride;
  }
}

/** Whether four known characters are there by chance: neither the groups beside them are known, nor can a value continue there. */
function isAlone(view: DataView, at: number, sought: Sought): boolean {
  if (at === 0 || BEFORE_PART[view.getUint8(at - 1)]! + AFTER_PART[view.getUint8(at + GRAM)]! !== 0)
    return false;
  return !knows(sought, view.getInt32(at - 1, true)) && !knows(sought, view.getInt32(at + 1, true));
}

/** Where the known characters around `at` begin, not before `first`. */
function knownFrom(view: DataView, at: number, first: number, { bits, shift }: Sought): number {
  let left = at;
  for (; left > first; left--) {
    const gram = view.getInt32(left - 1, true);
    const mixed = Math.imul(gram, MIX);
    const both = mask(gram, mixed);
    if ((bits[mixed >>> shift]! & both) !== both) break;
  }
  return left;
}

/** Where the known characters around `at` end, not after `last`. */
function knownTo(view: DataView, at: number, last: number, { bits, shift }: Sought): number {
  let right = at + GRAM;
  for (; right < last; right++) {
    const gram = view.getInt32(right - GRAM + 1, true);
    const mixed = Math.imul(gram, MIX);
    const both = mask(gram, mixed);
    if ((bits[mixed >>> shift]! & both) !== both) break;
  }
  return right;
}

/** False for most escapes and line ends: the characters beside them show that they are not inside a value. */
function mayBeInside(view: DataView, at: number, hasBlanks: boolean): boolean {
  const code = view.getUint8(at);
  if (code === PERCENT) return DIGITS[view.getUint8(at + 2)]! < 16;
  if (code >= 0x10 || hasBlanks || at === 0) return true;
  const before = view.getUint8(at - 1);
  if (before < 0x10 || before === EQUALS || before === BACKSLASH) return true;
  const next = view.getUint8(afterBlanks(view, at + 1));
  return next < 0x10 || GOES_ON[next] === 1;
}

/** Looks at four characters at a time. There are no blanks after the text. */
function afterBlanks(view: DataView, from: number): number {
  for (let at = from; ; at += GRAM) {
    const others = view.getInt32(at, true) ^ FOUR_BLANKS;
    if (others !== 0) return at + ((31 - Math.clz32(others & -others)) >> 3);
  }
}

/** One bit for each of four characters with a code below 16: a line end or a tab. */
function endsIn(gram: number): number {
  return (gram - 0x10101010) & ~gram & 0x80808080;
}
