import { Draft, type Reading } from "./unquote.ts";

/** Characters that mark lines as quotations, list items or comments. */
const MARKS = codesOf(">|#*");
/** Characters between bytes in hex. */
const SEPARATORS = codesOf(' ":-,=');
const [SPACE, QUOTE, MINUS, UNDERSCORE, ZERO, SMALL_X] = [0x20, 0x22, 0x2d, 0x5f, 0x30, 0x78];

/** Joins base64 across lines: without blanks, quotes and line marks, in the usual alphabet. */
export function packed({ text, starts, ends }: Reading): Reading {
  const draft = new Draft(text.length);
  let isLineBegin = true;
  for (let at = 0; at < text.length; at++) {
    let code = text.charCodeAt(at);
    if (code === SPACE) isLineBegin = true;
    if (code === SPACE || code === QUOTE || (isLineBegin && MARKS[code] === 1)) continue;
    isLineBegin = false;
    if (code === MINUS) code = 0x2b;
    else if (code === UNDERSCORE) code = 0x2f;
    draft.add(code, starts[at]!, ends[at]!);
  }
  return draft.reading;
}

/** Joins hex digits: in lower case, without separators between bytes and without `0x`. */
export function hexDigits({ text, starts, ends }: Reading): Reading {
  const draft = new Draft(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (SEPARATORS[code] === 1) continue;
    if (code === ZERO && (text.charCodeAt(at + 1) | 0x20) === SMALL_X) at += 1;
    else draft.add(code >= 0x41 && code <= 0x46 ? code | 0x20 : code, starts[at]!, ends[at]!);
  }
  return draft.reading;
}

/** 1: the character is one of them. */
function codesOf(text: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of text) table[character.charCodeAt(0)] = 1;
  return table;
}

/** A byte as `xxd` and `hexdump -C` show it: in hex, and again as a character at the end of the line. */
export interface DumpedByte {
  readonly digits: string;
  readonly at: number;
  readonly shownAt: number | undefined;
}

const DUMP_LINE = /^[ \t]*[0-9a-fA-F]{4,16}:?[ \t]+/;
const BYTES_A_LINE = 16;

/** The bytes of every dump in `text`. */
export function dumpedBytes(text: string): DumpedByte[][] {
  const parts: DumpedByte[][] = [];
  let part: DumpedByte[] = [];
  for (let from = 0; from < text.length; ) {
    const found = text.indexOf("\n", from);
    const end = found === -1 ? text.length : found;
    const bytes = dumpedLine(text.slice(from, end), from);
    if (bytes.length > 0) for (const byte of bytes) part.push(byte);
    else if (part.length > 0) {
      parts.push(part);
      part = [];
    }
    from = end + 1;
  }
  return part.length > 0 ? [...parts, part] : parts;
}

function dumpedLine(line: string, from: number): DumpedByte[] {
  // Lines of a dump are not longer.
  if (line.length > 256) return [];
  const begin = DUMP_LINE.exec(line);
  if (!begin) return [];
  const places: number[] = [];
  let at = begin[0].length;
  while (places.length < BYTES_A_LINE && /^[0-9a-fA-F]{2}/.test(line.slice(at, at + 2))) {
    places.push(at);
    at += 2;
    const blanks = /^ {1,2}(?=[0-9a-fA-F]{2})/.exec(line.slice(at, at + 4));
    if (blanks && places.length < BYTES_A_LINE) at += blanks[0].length;
  }
  const column = line.slice(at).search(/\S/);
  const shown = column < 0 ? undefined : at + column + (line.charAt(at + column) === "|" ? 1 : 0);
  return places.map((place, index) => ({
    digits: line.slice(place, place + 2).toLowerCase(),
    at: from + place,
    shownAt: shown === undefined || shown + index >= line.length ? undefined : from + shown + index,
  }));
}
