/**
 * Reads a text with every escape undone: percent, HTML, JSON, JavaScript and shell escapes, in any mix and one inside
 * another. Only used to search for values, never to show anything.
 */

/** Stands for any run of quotes: shells, YAML and CSV double a quote, or close and open the quotes around it. */
const QUOTE = 0x22;
const SPACE = 0x20;
const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const OPEN_BRACE = 0x7b;
const [SMALL_U, SMALL_X] = [0x75, 0x78];
/** 1: an escape may begin with this character. */
const BEGINS_ESCAPE = new Uint8Array(BACKSLASH + 1);
for (const code of [BACKSLASH, PERCENT, AMPERSAND, EQUALS]) BEGINS_ESCAPE[code] = 1;
/** How many escapes inside each other are undone. */
const MAX_LEVELS = 4;
const LONGEST_ENTITY = 10;
/** The longest run of backslashes or blanks that is read at once, so that no place is read again and again. */
const LONGEST_RUN = 64;

/** The result of `read` for what stands for no character: a backslash before one, a soft line end. */
export const NOTHING = -1;
const NO_ESCAPE = -2;

/** The control character that a letter after a backslash stands for; 0: none. */
const BLANKS = new Uint8Array(128);
for (const [letter, code] of Object.entries({ n: 10, r: 13, t: 9, b: 8, f: 12, v: 11 }))
  BLANKS[letter.charCodeAt(0)] = code;

/** The HTML entities of ASCII characters. */
const NAMED: ReadonlyMap<string, number> = new Map(
  Object.entries({
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    nbsp: " ",
    Tab: "\t",
    NewLine: "\n",
    excl: "!",
    num: "#",
    dollar: "$",
    percnt: "%",
    lpar: "(",
    rpar: ")",
    ast: "*",
    midast: "*",
    plus: "+",
    comma: ",",
    period: ".",
    sol: "/",
    colon: ":",
    semi: ";",
    equals: "=",
    quest: "?",
    commat: "@",
    lsqb: "[",
    lbrack: "[",
    bsol: "\\",
    rsqb: "]",
    rbrack: "]",
    Hat: "^",
    lowbar: "_",
    UnderBar: "_",
    grave: "`",
    lcub: "{",
    lbrace: "{",
    verbar: "|",
    vert: "|",
    rcub: "}",
    rbrace: "}",
    AMP: "&",
    LT: "<",
    GT: ">",
    QUOT: '"',
  }).map(([name, character]) => [name, character.charCodeAt(0)]),
);

/** The names of the entities of each character. */
export const ENTITY_NAMES: ReadonlyMap<number, readonly string[]> = namesByCode();

function namesByCode(): Map<number, string[]> {
  const names = new Map<number, string[]>();
  for (const [name, code] of NAMED) names.set(code, [...(names.get(code) ?? []), name]);
  return names;
}

/** Reads one character after the other, with escapes undone. */
export class Unquoter {
  readonly #text: string;
  readonly #isQuotedPrintable: boolean;
  /** Where the character that was read last ends. */
  next = 0;

  /** `isQuotedPrintable`: `=41` and `=` at the end of a line are escapes, too. */
  constructor(text: string, isQuotedPrintable: boolean) {
    this.#text = text;
    this.#isQuotedPrintable = isQuotedPrintable;
  }

  /** The code of the character at `at`, or NOTHING. A surrogate pair is read as two characters. */
  read(at: number): number {
    let code = this.#text.charCodeAt(at);
    this.next = at + 1;
    if (code > BACKSLASH || BEGINS_ESCAPE[code] === 0) return code;
    for (let level = 0; level < MAX_LEVELS; level++) {
      const undone = this.#undo(code);
      if (undone === NO_ESCAPE) return code;
      code = undone;
      if (code === NOTHING) return code;
    }
    return code;
  }

  /** What the escape stands for that begins with `code`, which was just read. */
  #undo(code: number): number {
    if (code === BACKSLASH) return this.#backslash();
    if (code === PERCENT) return this.#percent();
    if (code === AMPERSAND) return this.#entity();
    if (code === EQUALS && this.#isQuotedPrintable) return this.#equals();
    return NO_ESCAPE;
  }

  #backslash(): number {
    const text = this.#text;
    // Each text inside another text doubles the backslashes.
    const most = this.next + LONGEST_RUN;
    while (this.next < most && text.charCodeAt(this.next) === BACKSLASH) this.next += 1;
    const letter = text.charCodeAt(this.next);
    if (letter === SMALL_U) {
      if (text.charCodeAt(this.next + 1) === OPEN_BRACE) return this.#braces();
      return this.#hex(this.next + 1, 4, NOTHING);
    }
    if (letter === SMALL_X) return this.#hex(this.next + 1, 2, NOTHING);
    if (letter === 10 || letter === 13) return this.#lineEnd();
    const blank = letter < 128 ? BLANKS[letter]! : 0;
    if (blank === 0) return this.#octal();
    this.next += 1;
    return blank;
  }

  #braces(): number {
    const from = this.next + 2;
    const end = this.#endOf(0x7d, from);
    const code = end === -1 ? Number.NaN : Number.parseInt(this.#text.slice(from, end), 16);
    if (!(code <= 0x10ffff)) return NOTHING;
    this.next = end + 1;
    return code;
  }

  #octal(): number {
    let code = 0;
    for (let at = this.next; at < this.next + 3; at++) {
      const digit = this.#text.charCodeAt(at) - 0x30;
      if (!(digit >= 0 && digit < 8)) return NOTHING;
      code = code * 8 + digit;
    }
    this.next += 3;
    return code & 0xff;
  }

  /** Skips the indentation of the next line. */
  #lineEnd(): number {
    const most = this.next + LONGEST_RUN;
    while (this.next < most && this.#text.charCodeAt(this.next) <= SPACE) this.next += 1;
    return NOTHING;
  }

  #percent(): number {
    const isWide = (this.#text.charCodeAt(this.next) | 0x20) === 0x75;
    return isWide ? this.#hex(this.next + 1, 4, NO_ESCAPE) : this.#hex(this.next, 2, NO_ESCAPE);
  }

  #equals(): number {
    const code = this.#text.charCodeAt(this.next);
    if (code === 10 || (code === 13 && this.#text.charCodeAt(this.next + 1) === 10)) {
      this.next += code === 10 ? 1 : 2;
      return NOTHING;
    }
    return this.#hex(this.next, 2, NO_ESCAPE);
  }

  #entity(): number {
    const text = this.#text;
    if (text.charCodeAt(this.next) === 0x23) return this.#numbered();
    const end = this.#endOf(0x3b, this.next);
    if (end === -1) return NO_ESCAPE;
    const code = NAMED.get(text.slice(this.next, end));
    if (code === undefined) return NO_ESCAPE;
    this.next = end + 1;
    return code;
  }

  /** The position of `sign` after a few letters and digits; -1: there is none. */
  #endOf(sign: number, from: number): number {
    for (let at = from; at <= from + LONGEST_ENTITY; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === sign) return at;
      if (!(code >= 0x30 && code <= 0x7a)) return -1;
    }
    return -1;
  }

  #numbered(): number {
    const isHex = (this.#text.charCodeAt(this.next + 1) | 0x20) === 0x78;
    const from = this.next + (isHex ? 2 : 1);
    const base = isHex ? 16 : 10;
    let code = 0;
    let at = from;
    for (; at - from < LONGEST_ENTITY; at++) {
      const digit = digitOf(this.#text.charCodeAt(at));
      if (digit >= base) break;
      code = code * base + digit;
    }
    if (at === from || code > 0x10ffff) return NO_ESCAPE;
    this.next = this.#text.charAt(at) === ";" ? at + 1 : at;
    return code;
  }

  #hex(from: number, digits: number, otherwise: number): number {
    let code = 0;
    for (let at = from; at < from + digits; at++) {
      const digit = digitOf(this.#text.charCodeAt(at));
      if (digit >= 16) return otherwise;
      code = code * 16 + digit;
    }
    this.next = from + digits;
    return code;
  }
}

/** 16: not a digit. */
function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = (code | 0x20) - 0x61;
  return letter >= 0 && letter < 6 ? letter + 10 : 16;
}

/** A text as it is read. For each character it has the range in the original text. */
export interface Reading {
  readonly text: string;
  readonly starts: Readonly<Int32Array>;
  readonly ends: Readonly<Int32Array>;
}

/** Builds a reading character by character. */
export class Draft {
  readonly #codes: Uint16Array;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  #length = 0;

  /** `size`: the most characters it can have. */
  constructor(size: number) {
    this.#codes = new Uint16Array(size);
    this.#starts = new Int32Array(size);
    this.#ends = new Int32Array(size);
  }

  /** A character beyond the basic plane becomes a surrogate pair. */
  add(code: number, start: number, end: number): void {
    if (code > 0xffff) {
      this.add(0xd800 + ((code - 0x10000) >> 10), start, end);
      this.add(0xdc00 + ((code - 0x10000) & 0x3ff), start, end);
      return;
    }
    this.#codes[this.#length] = code;
    this.#starts[this.#length] = start;
    this.#ends[this.#length] = end;
    this.#length += 1;
  }

  /** Extends the character that was added last up to `end`. */
  extend(end: number): void {
    this.#ends[this.#length - 1] = end;
  }

  get reading(): Reading {
    const text = Buffer.from(this.#codes.buffer, 0, this.#length * 2).toString("utf16le");
    return { text, starts: this.#starts, ends: this.#ends };
  }
}

/** Reads a text without escapes; a run of quotes becomes one quote, and a run of blanks one blank. */
export function unquoted(text: string, isQuotedPrintable = false): Reading {
  // An escape is longer than what it stands for.
  const draft = new Draft(text.length + 1);
  const unquoter = new Unquoter(text, isQuotedPrintable);
  let last = NOTHING;
  for (let at = 0; at < text.length; ) {
    const code = unquoter.read(at);
    const end = Math.min(unquoter.next, text.length);
    if (code !== NOTHING) {
      const kept = plain(code);
      if (kept === last && (kept === QUOTE || kept === SPACE)) draft.extend(end);
      else draft.add(kept, at, end);
      last = kept;
    }
    at = end;
  }
  return draft.reading;
}

function plain(code: number): number {
  if (code <= SPACE || code === 0xa0) return SPACE;
  return code === 0x27 ? QUOTE : code;
}
