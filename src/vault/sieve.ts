import type { Range } from "./matcher.ts";
import { LONGEST_PIECE } from "./pieces.ts";
import { Unquoter } from "./unquote.ts";

/** So many characters together are looked up. */
export const GRAM = 4;
const MAX_STRIDE = 14;
const FEWEST_BITS = 14;
const MOST_BITS = 22;
/** Of the table at most one bit in so many is set. */
const SPARSENESS = 32;
/** Written once and used again and again; longer texts get memory of their own. */
const SCRATCH = 256 * 1024;
/** An escape is hardly longer, also inside another one and with indented lines between. */
const LONGEST_ESCAPE = 10;
const MARGIN = 64;
/** With backslashes closer than that to each other, four bytes at a time are looked at. */
const DENSE = 64;
const SOME = 32;

/** So much of a value in base64, and not all of it, says that it may be there with escapes in it. */
const PART = 8;
/** A dump shows at most 16 bytes of a value in one piece. */
const LINE_OF_DUMP = 16;

/** What was found worth a closer look. */
export interface Sifted {
  /** Where a value may stand. In order, apart from each other. */
  readonly windows: readonly Range[];
  /** Places where a good part of a value may stand: inside of base64, the rest of it may have escapes. */
  readonly encoded: readonly number[];
}

/**
 * Finds the few places of a text where a value may stand, in whatever spelling, in a fraction of the time that reading
 * the text character by character takes. Never misses a place for a spelling that is documented; what it names in vain
 * costs time only.
 *
 * Every four characters that follow each other in a value, or in its base64 or hex form, are in a table. Of a text, four
 * characters in every few are looked up: where a value stands, one of these is inside it. Escapes are found by the
 * character that begins them; what they stand for is looked up with its neighbours.
 */
export class Sieve {
  #bits = new Uint32Array(1 << (FEWEST_BITS - 5));
  #size = FEWEST_BITS;
  #grams = 0;
  #shortest = Number.POSITIVE_INFINITY;
  #longest = 0;
  #hasQuotes = false;
  /** What a backslash before a character may hide: 1, where some value has that character. */
  readonly #hidden = new Uint8Array(256);
  readonly #scratch = Buffer.alloc(SCRATCH);

  constructor() {
    for (const code of [0x75, 0x78, 10, 13]) this.#hidden[code] = 1;
    for (let digit = 0x30; digit < 0x38; digit++) this.#hidden[digit] = 1;
  }

  /** Whether so many characters more still fit; else it has to be made anew, larger. */
  hasRoomFor(characters: number): boolean {
    return this.#size === MOST_BITS || (this.#grams + characters) * SPARSENESS <= 2 ** this.#size;
  }

  /** Empty, with room for so many characters. */
  reset(characters: number): void {
    const size = Math.ceil(Math.log2(characters * SPARSENESS + 1));
    this.#size = Math.min(MOST_BITS, Math.max(FEWEST_BITS, size));
    this.#bits = new Uint32Array(1 << (this.#size - 5));
    this.#grams = 0;
    this.#shortest = Number.POSITIVE_INFINITY;
    this.#longest = 0;
  }

  /** `isValue`: it may stand in a text with escapes; else it only tells what to look at. */
  add(form: string, isValue: boolean): void {
    if (form.length < GRAM) return;
    if (isValue) {
      const length = Math.min(form.length, LONGEST_PIECE);
      this.#shortest = Math.min(this.#shortest, length);
      this.#longest = Math.max(this.#longest, length);
    }
    for (let at = 0; at + GRAM <= form.length; at++) {
      let gram = 0;
      for (let index = GRAM - 1; index >= 0; index--)
        gram = (gram << 8) | (form.charCodeAt(at + index) & 0xff);
      const place = this.#place(gram);
      this.#bits[place >>> 5]! |= 1 << (place & 31);
    }
    this.#grams += form.length;
  }

  /** The characters of a value: only an escape that stands for one of them can hide it. */
  addCharacters(value: string): void {
    for (let at = 0; at < value.length; at++) {
      const code = value.charCodeAt(at);
      const letter = ESCAPED_AS[code];
      if (letter !== undefined) this.#hidden[letter] = 1;
      else if (!/[A-Za-z0-9]/.test(value.charAt(at))) this.#hidden[code & 0xff] = 1;
      if (code === 0x22 || code === 0x27) this.#hasQuotes = true;
    }
  }

  sift(text: string): Sifted {
    if (text.length < GRAM || this.#grams === 0) return { windows: [], encoded: [] };
    const size = text.length + GRAM;
    const bytes = size <= SCRATCH ? this.#scratch : Buffer.allocUnsafe(size);
    // One byte a character, whatever it is: what looks alike then is told apart by who looks closer.
    const length = bytes.write(text, 0, "latin1");
    bytes.fill(0xff, length, length + GRAM);
    const search = new Search(text, bytes, length, this.#bits, 32 - this.#size, {
      shortest: this.#shortest,
      reach: this.#longest * LONGEST_ESCAPE + MARGIN,
    });
    search.everyFew(Math.min(MAX_STRIDE, Math.max(1, Math.floor((this.#shortest * 2) / 3) - 2)));
    search.everywhere("%", true);
    search.everywhere("&", true);
    search.backslashes(this.#hidden);
    if (this.#hasQuotes) for (const quotes of ["''", '""', `'"'`, `"'"`]) search.everywhere(quotes, false);
    return { windows: merged(search.windows), encoded: search.encoded };
  }

  #place(gram: number): number {
    return Math.imul(gram, MIX) >>> (32 - this.#size);
  }
}

const MIX = 0x9e3779b1;
const [EQUALS, BACKSLASH, SMALL_N, SMALL_R] = [0x3d, 0x5c, 0x6e, 0x72];

/** How JSON writes what it cannot write as it is. */
const ESCAPED_AS: Readonly<Record<number, number>> = {
  10: 0x6e,
  13: 0x72,
  9: 0x74,
  8: 0x62,
  12: 0x66,
  11: 0x76,
};

class Search {
  readonly windows: Range[] = [];
  /** What is known there is long, or all of a value. */
  readonly encoded: number[] = [];
  readonly #text: string;
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #length: number;
  readonly #bits: Uint32Array;
  readonly #shift: number;
  readonly #shortest: number;
  readonly #reach: number;
  /** Up to here everything is in a window already, for whoever goes from the beginning to the end. */
  #done = 0;
  readonly #unquoters: readonly [Unquoter, Unquoter];
  /** The characters around a place, without escapes, blanks and quotes. */
  readonly #codes = new Uint8Array(2 * LONGEST_PIECE);
  #count = 0;
  #sawEquals = false;

  constructor(
    text: string,
    bytes: Buffer,
    length: number,
    bits: Uint32Array,
    shift: number,
    sizes: { readonly shortest: number; readonly reach: number },
  ) {
    this.#text = text;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#length = length;
    this.#bits = bits;
    this.#shift = shift;
    this.#shortest = sizes.shortest;
    this.#reach = sizes.reach;
    this.#unquoters = [new Unquoter(text, false), new Unquoter(text, true)];
  }

  /** Four characters at a time, in steps of `stride`; and where lines end, which may end inside a value. */
  everyFew(stride: number): void {
    const view = this.#view;
    const bits = this.#bits;
    const shift = this.#shift;
    const last = this.#length - GRAM;
    this.#done = 0;
    for (let at = 0; at <= last; at += stride) {
      const gram = view.getUint32(at, true);
      const place = Math.imul(gram, MIX) >>> shift;
      // Whether one of the four is below 16: a line end or a tab.
      const hasLineEnd = (gram - 0x10101010) & ~gram & 0x80808080;
      const isKnown = bits[place >>> 5]! & (1 << (place & 31));
      if ((isKnown | hasLineEnd) === 0) continue;
      if (isKnown !== 0) at = Math.max(at, this.#around(at) - GRAM + 1 - stride);
      else this.#lineEnd(at);
    }
  }

  /** Wherever `sign` stands; with `isEscape`, where what follows it makes it an escape. */
  everywhere(sign: string, isEscape: boolean): void {
    this.#done = 0;
    const [unquoter] = this.#unquoters;
    for (let at = this.#text.indexOf(sign); at !== -1; at = this.#text.indexOf(sign, at + 1)) {
      if (at < this.#done) continue;
      if (isEscape) {
        unquoter.read(at);
        if (unquoter.next === at + 1) continue;
      }
      if (this.#mayStandAt(at)) this.#keep(at, at + 1);
    }
  }

  /** `hidden`: before which characters a backslash matters. */
  backslashes(hidden: Uint8Array): void {
    this.#done = 0;
    const text = this.#text;
    let at = text.indexOf("\\");
    const first = at;
    for (let count = 0; at !== -1; count++) {
      if (count > SOME && at - first < count * DENSE) {
        this.#denseBackslashes(at, hidden);
        return;
      }
      at = text.indexOf("\\", this.#backslash(at, hidden));
    }
  }

  #denseBackslashes(from: number, hidden: Uint8Array): void {
    const view = this.#view;
    const bytes = this.#bytes;
    // Beyond the text there are four bytes more.
    const end = this.#length;
    for (let at = from; at < end; ) {
      const other = view.getUint32(at, true) ^ 0x5c5c5c5c;
      if (((other - 0x01010101) & ~other & 0x80808080) === 0) {
        at += GRAM;
        continue;
      }
      while (bytes[at] !== 0x5c) at += 1;
      if (at < end) at = this.#backslash(at, hidden);
    }
  }

  #backslash(at: number, hidden: Uint8Array): number {
    const bytes = this.#bytes;
    let next = at + 1;
    while (next < this.#length && bytes[next] === 0x5c) next += 1;
    if (hidden[bytes[next]!] === 0 && (next === at + 1 || hidden[0x5c] === 0)) return next + 1;
    if (at >= this.#done && this.#mayStandAt(at)) this.#keep(at, next);
    return next + 1;
  }

  /** Looks at what is known around a place, and returns where that ends. */
  #around(at: number): number {
    let left = at;
    while (left > this.#done && this.#isKnown(left - 1)) left -= 1;
    let right = at + GRAM;
    while (right < this.#length && this.#isKnown(right - GRAM + 1)) right += 1;
    if (right - left >= PART && this.encoded.at(-1) !== left) this.encoded.push(left);
    if (right - left >= Math.min(this.#shortest, LINE_OF_DUMP)) this.#keep(left, right);
    else if (at >= this.#done && (this.#isBreak(right) || this.#isAfterBreak(left)))
      if (this.#mayStandAt(left)) this.#keep(left, right);
    return right;
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
    while (before > at - MARGIN && bytes[before] === 0x20) before -= 1;
    if (before < 0) return false;
    const code = bytes[before]!;
    return code < 0x20 || ((code === SMALL_N || code === SMALL_R) && bytes[before - 1] === BACKSLASH);
  }

  /** Lines that are long enough are found by themselves: only what is next to the end of a line is looked up. */
  #lineEnd(at: number): void {
    const bytes = this.#bytes;
    let end = at;
    while (bytes[end]! >= 0x10) end += 1;
    if (end < this.#done) return;
    let next = end + 1;
    while (next < this.#length && bytes[next]! <= 0x20) next += 1;
    const isShort = bytes[next + 1]! < 0x20 || bytes[next + 2]! < 0x20 || bytes[next + 3]! < 0x20;
    const isWorthIt = isShort || this.#isKnown(next) || (end >= GRAM && this.#isKnown(end - GRAM));
    if (isWorthIt && this.#mayStandAt(end)) this.#keep(end, end + 1);
  }

  #isKnown(at: number): boolean {
    const place = Math.imul(this.#view.getUint32(Math.min(at, this.#length), true), MIX) >>> this.#shift;
    return (this.#bits[place >>> 5]! & (1 << (place & 31))) !== 0;
  }

  #keep(from: number, to: number): void {
    this.windows.push({
      start: Math.max(0, from - this.#reach),
      end: Math.min(this.#length, to + 2 * this.#reach),
    });
    this.#done = to + this.#reach;
  }

  /** Whether a value may stand across `at`: what its escapes stand for is known, for as long as the shortest value is. */
  #mayStandAt(at: number): boolean {
    this.#sawEquals = at > 0 && this.#bytes[at - 1] === EQUALS;
    return this.#isRun(at, this.#unquoters[0]) || (this.#sawEquals && this.#isRun(at, this.#unquoters[1]));
  }

  #isRun(at: number, unquoter: Unquoter): boolean {
    // Most often the nearest few are enough to say no.
    this.#gather(at, GRAM - 1, GRAM, unquoter);
    if (this.#longestRun() === 0) return false;
    this.#gather(at, this.#shortest, this.#shortest, unquoter);
    return this.#longestRun() >= this.#shortest;
  }

  #longestRun(): number {
    const codes = this.#codes;
    const last = this.#count - GRAM;
    let longest = 0;
    let run = 0;
    for (let at = 0; at <= last; at++) {
      const gram = codes[at]! | (codes[at + 1]! << 8) | (codes[at + 2]! << 16) | (codes[at + 3]! << 24);
      const place = Math.imul(gram, MIX) >>> this.#shift;
      run = (this.#bits[place >>> 5]! & (1 << (place & 31))) === 0 ? 0 : run + 1;
      if (run > longest) longest = run;
    }
    return longest === 0 ? 0 : longest + GRAM - 1;
  }

  /** So many characters before `at`, as they are, and so many from there on, without escapes. */
  #gather(at: number, before: number, after: number, unquoter: Unquoter): void {
    const codes = this.#codes;
    const bytes = this.#bytes;
    let first = before;
    for (let index = at - 1; index >= 0 && index > at - before * 3 - MARGIN && first > 0; index--) {
      const code = bytes[index]!;
      if (code <= 0x20 || code === 0x22 || code === 0x27 || code === 0x5c) continue;
      // A line end that is written as an escape.
      if ((code === 0x6e || code === 0x72) && index > 0 && bytes[index - 1] === 0x5c) continue;
      if (code === EQUALS) this.#sawEquals = true;
      if (code === EQUALS && unquoter !== this.#unquoters[0] && bytes[index + 1]! < 0x20) continue;
      first -= 1;
      codes[first] = code;
    }
    codes.copyWithin(0, first, before);
    let count = before - first;
    const limit = count + after;
    for (let index = at; index < this.#length && count < limit; index = unquoter.next) {
      const code = unquoter.read(index);
      if (code <= 0x20 || code === 0x22 || code === 0x27 || code === 0xa0) continue;
      if (code === EQUALS) this.#sawEquals = true;
      codes[count] = code & 0xff;
      count += 1;
    }
    this.#count = count;
  }
}

function merged(windows: readonly Range[]): Range[] {
  const result: Range[] = [];
  for (const next of [...windows].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && next.start <= last.end)
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, next.end) };
    else result.push(next);
  }
  return result;
}
