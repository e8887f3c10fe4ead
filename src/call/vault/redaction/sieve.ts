import { BLANKS, escapeTails, GRAM } from "./escape-tails.ts";
import { LONGEST_PIECE } from "./pieces.ts";
import { LONGEST_ESCAPE } from "./runs.ts";
import { FOUR_BLANKS, nameAt, Search, type Sifted } from "./search.ts";
import { MIX, mask, type Sought } from "./sought.ts";
import { ENTITY_NAMES } from "./unquote.ts";

const MAX_STRIDE = 13;
const FEWEST_BITS = 18;
const MOST_BITS = 23;
/** The table has so many bits for each four characters, of which two are set. */
const SPARSENESS = 64;
/** Written once and used again and again; longer texts get memory of their own. */
const SCRATCH = 256 * 1024;
/** So many places are looked at together. */
const PLACES = 8192;
const MARGIN = 64;
/** A word of the table has so many bits. */
const WORD = 5;
/** Behind the text, so that whoever looks a little ahead need not ask where it ends. */
const PADDING = 16;

/** Line ends and tabs are below that. */
const LINE_ENDS = 0x10;
const [BACKSLASH, PERCENT, AMPERSAND] = [0x5c, 0x25, 0x26];

/**
 * Finds the few places of a text where a value may stand, in whatever spelling, in a fraction of the time that reading
 * the text character by character takes. Never misses a place for a spelling that is documented; what it names in vain
 * costs time only.
 *
 * Every four characters that follow each other in a value, or in its base64 or hex form, are in a table, as are those in
 * the middle of an escape. Of a text, four characters in every few are looked up: where a value stands, one of these is
 * inside it, and is known, or has the beginning of an escape or the end of a line in it.
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
  /** How many are in the table. */
  #grams = 0;
  readonly #scratch = Buffer.alloc(SCRATCH);
  readonly #places = new Int32Array(PLACES);

  constructor() {
    this.#stopAtBlanks();
    // Escapes that stand for any character, the end of a line, and a backslash before another.
    for (const letter of "ux01234567nr\n\r") this.#hide(letter.charCodeAt(0));
    this.#markPair(BACKSLASH, BACKSLASH);
    // Numbers, and an escape inside another one.
    for (const letter of "#a") this.#markPair(AMPERSAND, letter.charCodeAt(0));
    for (const letter of "2uU") this.#markPair(PERCENT, letter.charCodeAt(0));
    for (const sign of [BACKSLASH, PERCENT, AMPERSAND])
      for (let before = 0; before < 256; before++) this.#sought.signs[before | (sign << 8)] = 1;
    for (let code = 0; code < 256; code++)
      if (code < LINE_ENDS || /[A-Za-z0-9+/_="'\\-]/.test(String.fromCharCode(code)))
        this.#sought.lineEnds[code] = 1;
  }

  /** Else it has to be made anew, larger. */
  get isFull(): boolean {
    return (
      this.#sought.shift > 32 - (MOST_BITS - WORD) &&
      this.#grams * SPARSENESS > 2 ** (32 - this.#sought.shift + WORD)
    );
  }

  /** Empty, with twice the room if it was full. */
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

  /** `isSpelling`: it stands in texts as it is; else it only tells what to look at. */
  add(form: string, isSpelling: boolean): void {
    if (form.length < GRAM) return;
    const sought = this.#sought;
    if (isSpelling) {
      const length = Math.min(form.length, LONGEST_PIECE);
      sought.shortest = Math.min(sought.shortest, length);
      if (/^[0-9a-f]+$/i.test(form)) sought.shortestHex = Math.min(sought.shortestHex, length);
      sought.reach = Math.max(sought.reach, length * LONGEST_ESCAPE + MARGIN);
      // So that four characters are looked at of which none is beyond the value.
      sought.stride = Math.min(MAX_STRIDE, sought.shortest - GRAM + 1);
    }
    for (let at = 0; at + GRAM <= form.length; at++) this.#enter(form, at);
  }

  /** What may go on after a line end and some blanks; of more blanks than that, all are passed. */
  addIndented(form: string): void {
    for (let blanks = 1; blanks < GRAM; blanks++)
      for (let at = 0; at + GRAM - blanks <= form.length; at++)
        this.#enter(" ".repeat(blanks) + form.slice(at, at + GRAM - blanks), 0);
  }

  /** What escapes may stand in for: those of `characters`, or any. */
  addEscaped(form: string, characters?: RegExp): void {
    const { present, names } = this.#sought;
    for (const tail of escapeTails(form, characters)) this.#enter(tail, 0);
    for (let at = 0; at < form.length; at++) {
      if (characters && !characters.test(form.charAt(at))) continue;
      const code = form.charCodeAt(at);
      present[Math.min(code, 256)] = 1;
      // As bytes of UTF-8.
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

  /** One of the two bits of four blanks: a search stops there, to pass what a line is indented by, and does not take them for known. */
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
    // One byte a character, whatever it is: what looks alike then is told apart by who looks closer.
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
