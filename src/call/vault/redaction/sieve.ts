import { BLANKS, escapeTails, GRAM } from "./escape-tails.ts";
import { LONGEST_PIECE } from "./pieces.ts";
import { LONGEST_ESCAPE } from "./runs.ts";
import { FOUR_BLANKS, nameAt, Search, type Sifted } from "./search.ts";
import { MIX, mask, type Sought } from "./sought.ts";
import { ENTITY_NAMES } from "./unquote.ts";

const MAX_STRIDE = 13;
const FEWEST_BITS = 18;
const MOST_BITS = 23;
/** The number of bits in the table for each group of four characters, of which two are set. */
const SPARSENESS = 64;
/** The size of the buffer that is used again for every text; longer texts get their own. */
const SCRATCH = 256 * 1024;
/** The number of places that are looked at together. */
const PLACES = 8192;
const MARGIN = 64;
/** A word of the table has 2 to this power bits. */
const WORD = 5;
/** Bytes after the text, so that looking a little ahead needs no check for its end. */
const PADDING = 16;

/** Line ends and tabs have smaller codes. */
const LINE_ENDS = 0x10;
const [BACKSLASH, PERCENT, AMPERSAND] = [0x5c, 0x25, 0x26];

/**
 * Finds the few places in a text where a value may be, however it is spelled, in a fraction of the time that reading the
 * text character by character takes. It never misses a documented spelling; a place named in vain only costs time.
 *
 * A table contains every group of four consecutive characters of each value, of its base64 and hex forms, and of the
 * middles of its escapes. In a text, only one group in every few characters is looked up: where there is a value, one of
 * these groups is inside it, and is known or contains the beginning of an escape or the end of a line.
 */
export class Sieve {
  readonly #sought: Sought = {
    bits: new Int32Array(1 << (FEWEST_BITS - WORD)),
    shift: 32 - (FEWEST_BITS - WORD),
    shortest: Number.POSITIVE_INFINITY,
    shortestHex: Number.POSITIVE_INFINITY,
    reach: MARGIN,
    stride: 1,
    hasBlanks: false,
    hasQuotes: false,
    present: new Uint8Array(257),
    hidden: new Uint8Array(256),
    pairs: new Uint8Array(65536),
    signs: new Uint8Array(65536),
    lineEnds: new Uint8Array(256),
    names: new Uint8Array(4096),
  };
  /** The number of groups in the table. */
  #grams = 0;
  readonly #scratch = Buffer.alloc(SCRATCH);
  readonly #places = new Int32Array(PLACES);

  constructor() {
    this.#stopAtBlanks();
    // Escapes for any character, for the end of a line, and a backslash before another.
    for (const letter of "ux01234567nr\n\r") this.#hide(letter.charCodeAt(0));
    this.#markPair(BACKSLASH, BACKSLASH);
    // Escapes by number, and one escape inside another.
    for (const letter of "#a") this.#markPair(AMPERSAND, letter.charCodeAt(0));
    for (const letter of "2uU") this.#markPair(PERCENT, letter.charCodeAt(0));
    for (const sign of [BACKSLASH, PERCENT, AMPERSAND])
      for (let before = 0; before < 256; before++) this.#sought.signs[before | (sign << 8)] = 1;
    for (let code = 0; code < 256; code++)
      if (code < LINE_ENDS || /[A-Za-z0-9+/_="'\\-]/.test(String.fromCharCode(code)))
        this.#sought.lineEnds[code] = 1;
  }

  /** True: it has to be rebuilt with `reset`, which makes it larger. */
  get isFull(): boolean {
    return (
      this.#sought.shift > 32 - (MOST_BITS - WORD) &&
      this.#grams * SPARSENESS > 2 ** (32 - this.#sought.shift + WORD)
    );
  }

  /** Empties it, and makes it larger if it was full. */
  reset(): void {
    const sought = this.#sought;
    while (this.isFull) sought.shift -= 1;
    sought.bits = new Int32Array(1 << (32 - sought.shift));
    this.#stopAtBlanks();
    this.#grams = 0;
    sought.shortest = Number.POSITIVE_INFINITY;
    sought.shortestHex = Number.POSITIVE_INFINITY;
    sought.reach = MARGIN;
  }

  /** `isSpelling`: texts contain the form as it is; otherwise it only shows where to look. */
  add(form: string, isSpelling: boolean): void {
    if (form.length < GRAM) return;
    const sought = this.#sought;
    if (isSpelling) {
      const length = Math.min(form.length, LONGEST_PIECE);
      sought.shortest = Math.min(sought.shortest, length);
      if (/^[0-9a-f]+$/i.test(form)) sought.shortestHex = Math.min(sought.shortestHex, length);
      sought.reach = Math.max(sought.reach, length * LONGEST_ESCAPE + MARGIN);
      // So that one of the groups that are looked up is entirely inside the value.
      sought.stride = Math.min(MAX_STRIDE, sought.shortest - GRAM + 1);
    }
    for (let at = 0; at + GRAM <= form.length; at++) this.#enter(form, at);
  }

  /** For a form that continues after a line end and up to three blanks; a search skips longer indentations. */
  addIndented(form: string): void {
    for (let blanks = 1; blanks < GRAM; blanks++)
      for (let at = 0; at + GRAM - blanks <= form.length; at++)
        this.#enter(" ".repeat(blanks) + form.slice(at, at + GRAM - blanks), 0);
  }

  /** For a form in which characters may be escaped: those of `characters`, or all. */
  addEscaped(form: string, characters?: RegExp): void {
    const { present, names } = this.#sought;
    for (const tail of escapeTails(form, characters)) this.#enter(tail, 0);
    for (let at = 0; at < form.length; at++) {
      if (characters && !characters.test(form.charAt(at))) continue;
      const code = form.charCodeAt(at);
      present[Math.min(code, 256)] = 1;
      // It may be escaped as bytes of UTF-8.
      if (code > 0x7f) present.fill(1, 0x80, 0x100);
      const letter = BLANKS.get(code);
      if (letter !== undefined) this.#hide(letter.charCodeAt(0));
      else if (!/[A-Za-z0-9]/.test(form.charAt(at))) this.#hide(code & 0xff);
      for (const name of ENTITY_NAMES.get(code) ?? []) {
        names[nameAt(Buffer.from(`${name};`), 0)] = 1;
        this.#markPair(AMPERSAND, name.charCodeAt(0));
      }
      for (const byte of code > 0x7f ? Buffer.from(form.charAt(at)) : [code])
        for (const digit of new Set((byte >> 4).toString(16) + (byte >> 4).toString(16).toUpperCase()))
          this.#markPair(PERCENT, digit.charCodeAt(0));
      if (code === 0x22 || code === 0x27) this.#sought.hasQuotes = true;
      if (code <= 0x20) {
        this.#sought.hasBlanks = true;
        this.#sought.lineEnds.fill(1);
      }
    }
  }

  /** Sets one of the two bits of four blanks: a search then stops there and skips the indentation, without taking the blanks for known. */
  #stopAtBlanks(): void {
    const { bits, shift } = this.#sought;
    const mixed = Math.imul(FOUR_BLANKS, MIX);
    bits[mixed >>> shift]! |= 1 << (mixed >>> 9);
  }

  #hide(code: number): void {
    this.#sought.hidden[code] = 1;
    this.#markPair(BACKSLASH, code);
  }

  #markPair(first: number, second: number): void {
    this.#sought.pairs[first | (second << 8)] = 1;
    this.#sought.signs[first | (second << 8)] = 1;
  }

  sift(text: string): Sifted {
    if (text.length < GRAM || this.#grams === 0) return { windows: [], encoded: [] };
    const size = text.length + PADDING;
    const bytes = size <= SCRATCH ? this.#scratch : Buffer.allocUnsafe(size);
    // One byte for each character. Characters that become equal are told apart when a place is looked at closer.
    const length = bytes.write(text, 0, "latin1");
    bytes.fill(0xff, length, length + PADDING);
    return new Search(text, bytes, length, this.#sought, this.#places).run();
  }

  #enter(form: string, at: number): void {
    let gram = 0;
    for (let index = GRAM - 1; index >= 0; index--) gram = (gram << 8) | (form.charCodeAt(at + index) & 0xff);
    const mixed = Math.imul(gram, MIX);
    const bits = mask(gram, mixed);
    const { bits: table, shift } = this.#sought;
    if ((table[mixed >>> shift]! & bits) === bits) return;
    table[mixed >>> shift]! |= bits;
    this.#grams += 1;
  }
}
