import { Unreadable } from "./parsed-document.ts";

/** So much of a file tells whether it is text. */
const SAMPLE = 8_192;

/**
 * The text of a file of the user's: by its byte order mark, else UTF-8, else windows-1252 where hardly anything of it can be UTF-8. What
 * is broken becomes U+FFFD. Every unit of it can be stored. Throws `Unreadable` for what is no text.
 */
export function decodeFile(bytes: Uint8Array): string {
  const utf16 = utf16Of(bytes);
  if (utf16 === undefined && isBinary(bytes)) throw new Unreadable("it is not a text file");
  return storableText(utf16 === undefined ? decodeUtf8(bytes) : new TextDecoder(utf16).decode(bytes));
}

/** The text in a charset that somebody named; UTF-8 or a guess where nobody knows it. */
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
