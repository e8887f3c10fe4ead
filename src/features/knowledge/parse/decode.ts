import { Unreadable } from "./parsed-document.ts";

/** The number of bytes that decide whether a file is text. */
const SAMPLE = 8_192;

/**
 * Decodes a file by its byte order mark, otherwise as UTF-8, otherwise as windows-1252 if hardly anything is valid UTF-8.
 * Invalid bytes become U+FFFD. Every character can be stored. Throws `Unreadable` for binary files.
 */
export function decodeFile(bytes: Uint8Array): string {
  const utf16 = utf16Of(bytes);
  if (utf16 === undefined && isBinary(bytes)) throw new Unreadable("it is not a text file");
  return storableText(utf16 === undefined ? decodeUtf8(bytes) : new TextDecoder(utf16).decode(bytes));
}

/** Decodes with the named charset; if it is unknown, as UTF-8 or by guessing. */
export function decodeAs(bytes: Uint8Array, charset: string | undefined): string {
  if (charset === undefined || /^(us-)?ascii$|^utf-?8$/i.test(charset))
    return storableText(decodeUtf8(bytes));
  try {
    return storableText(new TextDecoder(charset).decode(bytes));
  } catch {
    return storableText(decodeUtf8(bytes));
  }
}

/** Without U+0000 and halves of pairs, which not every database keeps; as long as before. */
export function storableText(text: string): string {
  const whole = (text as WellFormed).toWellFormed();
  // No pattern: one that repeats runs out of its stack on millions of them.
  return whole.replaceAll("\0", "\uFFFD");
}

/** In Node 20, and not yet in the library that the code is checked with. */
type WellFormed = string & { toWellFormed(): string };

function utf16Of(bytes: Uint8Array): string | undefined {
  const [a, b] = bytes;
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return a === 0xff && b === 0xfe ? "utf-16le" : undefined;
}

function isBinary(bytes: Uint8Array): boolean {
  let strange = 0;
  const length = Math.min(bytes.length, SAMPLE);
  for (let at = 0; at < length; at++) {
    const byte = bytes[at]!;
    if (byte === 0) return true;
    if (byte < 9 || (byte > 13 && byte < 27)) strange += 1;
  }
  return strange > length * 0.05;
}

function decodeUtf8(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  if (!text.includes("\uFFFD")) return text;
  let broken = 0;
  let foreign = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) broken += 1;
    else if (code > 0x7f) foreign += 1;
  }
  // A text in another charset has hardly a sequence that is right by chance.
  return broken > foreign ? new TextDecoder("windows-1252").decode(bytes) : text;
}
