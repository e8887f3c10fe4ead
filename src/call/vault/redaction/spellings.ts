import { type Base64Form, base64Forms, standardBase64, urlBase64 } from "./base64-form.ts";
import { Matcher, type Range } from "./matcher.ts";
import { piecesOf } from "./pieces.ts";
import { dumpedBytes, hexDigits, packed } from "./readings.ts";
import { Draft, type Reading, unquoted } from "./unquote.ts";
import { plainForms, SHORTEST_REDACTED } from "./value-forms.ts";

/** What to search for to find a value in every spelling. */
export interface ValueSpellings {
  /** As it is. */
  readonly plain: ReadonlySet<string>;
  /** As `unquoted` reads it. */
  readonly loose: ReadonlySet<string>;
  readonly base64: readonly Base64Form[];
  readonly hex: ReadonlySet<string>;
}

const HEX_SEPARATORS = [" ", ":"];
/** The longest line end with the indentation of the next line. */
const LONGEST_BREAK = 40;
const SHORTEST_LINE = 16;
/** Base64 is decoded up to this far around a place. */
const FURTHEST_BASE64 = 4096;

export function spellingsOf(value: string): ValueSpellings {
  const { whole, lines } = plainForms(value);
  const loose = new Set<string>();
  for (const form of [...whole, ...lines])
    for (const text of textsOf(form)) {
      const read = unquoted(text).text.replace(/^[ "]+|[ "]+$/g, "");
      if (read.length >= SHORTEST_REDACTED) loose.add(read);
    }
  const once = [...whole].flatMap((form) => base64Forms(form));
  const twice = once.flatMap(({ text }) => base64Forms(text));
  const base64 = [...once, ...twice].filter(({ text }) => text.length >= SHORTEST_REDACTED);
  const hex = new Set([...whole].map((form) => Buffer.from(form, "utf8").toString("hex")));
  return { plain: new Set([...whole, ...lines]), loose, base64, hex };
}

/** The form itself, with `+` for blanks as in HTML forms, and as the bytes that its escapes stand for. */
function* textsOf(form: string): Iterable<string> {
  yield form;
  if (form.includes(" ")) yield form.replaceAll(" ", "+");
  if (/[^\0-\x7f]/.test(form)) yield Buffer.from(form, "utf8").toString("latin1");
}

/** The forms by which a sieve recognises that a value may be there. `isValue`: it may also contain escapes. */
export function* siftedForms(spellings: ValueSpellings): Iterable<readonly [form: string, isValue: boolean]> {
  for (const form of spellings.plain) {
    yield [form, true];
    if (/[^ -<>-~]/.test(form)) yield [quotedPrintable(form), false];
  }
  for (const form of spellings.loose) yield [form.replace(/[ "]/g, ""), true];
  for (const { text } of spellings.base64) {
    yield [text, true];
    if (/[+/]/.test(text)) yield [urlBase64(text), true];
  }
  for (const form of spellings.hex) {
    for (const digits of [form, form.toUpperCase()]) {
      yield [digits, true];
      for (const separator of HEX_SEPARATORS) yield [digits.replace(/..(?=.)/g, `$&${separator}`), false];
      // As `xxd` writes it: a blank after every two bytes.
      yield [digits.replace(/.{4}(?=.)/g, "$& "), false];
      yield [digits.replace(/^..|.{4}(?=.)/g, "$& "), false];
    }
    yield [form.toUpperCase().replace(/../g, "=$&"), false];
  }
}

/** With escapes for the characters that quoted-printable cannot contain. */
function quotedPrintable(form: string): string {
  const bytes = Buffer.from(form, "utf8").toString("latin1");
  const asEscape = (character: string) =>
    `=${character.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`;
  return bytes.replace(/[^ -<>-~]/g, asEscape);
}

/** Finds values in a text, however they are spelled, by reading it in every way there is. For short texts. */
export class Spellings {
  readonly #plain = new Matcher();
  readonly #loose = new Matcher();
  readonly #base64 = new Matcher();
  readonly #hex = new Matcher();
  /** First and last pieces in base64 with bits of the value in the characters beside them. */
  readonly #openBefore = new Pieces();
  readonly #openAfter = new Pieces();

  add(spellings: ValueSpellings): void {
    this.#change(spellings, "add");
  }

  remove(spellings: ValueSpellings): void {
    this.#change(spellings, "remove");
  }

  #change({ plain, loose, base64, hex }: ValueSpellings, change: "add" | "remove"): void {
    for (const form of plain) for (const piece of piecesOf(form)) this.#plain[change](piece);
    for (const form of loose) for (const piece of piecesOf(form)) this.#loose[change](piece);
    for (const form of hex) for (const piece of piecesOf(form)) this.#hex[change](piece);
    for (const { text, before, after } of base64) {
      const pieces = [...piecesOf(text)];
      for (const piece of pieces) this.#base64[change](piece);
      if (before > 0 && pieces[0] !== undefined) this.#openBefore[change](pieces[0]);
      if (after > 0 && pieces.length > 0) this.#openAfter[change](pieces.at(-1)!);
    }
  }

  /** The ranges are not in order. */
  find(text: string): Range[] {
    // Not spread into arguments: there may be too many.
    let found = this.#plain.find(text);
    for (const isQuotedPrintable of text.includes("=") ? [false, true] : [false]) {
      const reading = unquoted(text, isQuotedPrintable);
      const digits = hexDigits(reading);
      found = found.concat(
        inFirst(this.#loose.find(reading.text), reading),
        this.#inBase64(packed(reading)),
        inFirst(this.#hex.find(digits.text), digits),
      );
    }
    return found.concat(this.#inDumps(text));
  }

  #inBase64(reading: Reading): Range[] {
    const { text } = reading;
    const ranges = this.#base64.find(text).map(({ start, end }) => {
      const from = this.#openBefore.beginsAt(text, start) && isBase64(text, start - 1) ? start - 1 : start;
      if (!this.#openAfter.endsAt(text, end) || !isBase64(text, end)) return { start: from, end };
      let to = end + 1;
      while (to < end + 3 && text.charAt(to) === "=") to += 1;
      return { start: from, end: to };
    });
    return inFirst(ranges, reading);
  }

  #inDumps(text: string): Range[] {
    const found: Range[] = [];
    if (!text.includes("\n") && !/^\s*[0-9a-f]{4,16}:? /i.test(text)) return found;
    for (const bytes of dumpedBytes(text)) {
      for (const { start, end } of this.#hex.find(bytes.map(({ digits }) => digits).join(""))) {
        // A byte has two digits.
        for (const { at, shownAt } of bytes.slice(Math.floor(start / 2), Math.ceil(end / 2))) {
          found.push({ start: at, end: at + 2 });
          if (shownAt !== undefined) found.push({ start: shownAt, end: shownAt + 1 });
        }
      }
    }
    return found;
  }
}

/** Texts by their lengths, each with how often it was added. */
class Pieces {
  readonly #counts = new Map<number, Map<string, number>>();

  add(piece: string): void {
    const counts = this.#counts.get(piece.length) ?? new Map<string, number>();
    this.#counts.set(piece.length, counts);
    counts.set(piece, (counts.get(piece) ?? 0) + 1);
  }

  remove(piece: string): void {
    const counts = this.#counts.get(piece.length);
    const count = counts?.get(piece);
    if (!counts || count === undefined) return;
    if (count > 1) counts.set(piece, count - 1);
    else counts.delete(piece);
    if (counts.size === 0) this.#counts.delete(piece.length);
  }

  beginsAt(text: string, start: number): boolean {
    for (const [length, counts] of this.#counts)
      if (counts.has(text.slice(start, start + length))) return true;
    return false;
  }

  endsAt(text: string, end: number): boolean {
    for (const [length, counts] of this.#counts)
      if (end >= length && counts.has(text.slice(end - length, end))) return true;
    return false;
  }
}

function isBase64(text: string, at: number): boolean {
  return /^[A-Za-z0-9+/]$/.test(text.charAt(at));
}

/** Converts ranges of a reading to ranges of the text that was read. */
export function inFirst(ranges: readonly Range[], { starts, ends }: Reading): Range[] {
  return ranges.map(({ start, end }) => ({ start: starts[start]!, end: ends[end - 1]! }));
}

/** Whether the characters around a place may be base64: enough for a line of it or up to the end of the line, and not only hex digits. */
export function isInBase64(text: string, place: number): boolean {
  let start = place;
  while (start > place - SHORTEST_LINE && isAnyBase64(text.charCodeAt(start - 1))) start -= 1;
  let end = place;
  while (end < place + SHORTEST_LINE && isAnyBase64(text.charCodeAt(end))) end += 1;
  if (/^[0-9a-f]*$/i.test(text.slice(start, end))) return false;
  return end - start >= SHORTEST_LINE || /[\r\n\\]/.test(text.charAt(start - 1) + text.charAt(end));
}

/** The characters around a place that may be base64, joined across lines, up to a limit in both directions. */
export function base64Around(text: string, at: number): Reading & { readonly end: number } {
  let start = at;
  const first = Math.max(0, at - FURTHEST_BASE64);
  const last = Math.min(text.length, at + FURTHEST_BASE64);
  while (start > first) {
    while (start > first && isAnyBase64(text.charCodeAt(start - 1))) start -= 1;
    // The letter of an escaped line end is also a base64 character.
    if (start > 0 && text.charAt(start - 1) === "\\" && /[nr]/.test(text.charAt(start))) start += 1;
    const before = /(?:\\+[nr]|[\r\n])[ \t]*$/.exec(text.slice(Math.max(0, start - LONGEST_BREAK), start));
    if (!before || start - before[0].length === 0) break;
    if (!isAnyBase64(text.charCodeAt(start - before[0].length - 1))) break;
    start -= before[0].length;
  }
  const lineEnd = /(?:\\+[nr]|\r?\n)(?:\\+[nr]|\s)*/y;
  const lines: Range[] = [];
  let end = start;
  while (end < last) {
    const from = end;
    while (end < last && isAnyBase64(text.charCodeAt(end))) end += 1;
    if (end > from) lines.push({ start: from, end });
    lineEnd.lastIndex = end;
    const blanks = lineEnd.exec(text);
    if (!blanks) break;
    end += blanks[0].length;
  }
  const draft = new Draft(end - start);
  for (const line of lines)
    for (let each = line.start; each < line.end; each++) draft.add(text.charCodeAt(each), each, each + 1);
  const { text: found, ...places } = draft.reading;
  return { text: standardBase64(found), ...places, end };
}

/** In either alphabet. */
function isAnyBase64(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x2f && code <= 0x39) ||
    code === 0x2b ||
    code === 0x2d ||
    code === 0x5f
  );
}
