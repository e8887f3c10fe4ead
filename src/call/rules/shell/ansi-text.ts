const LETTERS: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
const NUMBER =
  /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c([\s\S])|([\s\S]))/y;

/**
 * The text of `$'…'`, whose first character stands at `from`, and where it ends. Undefined where nothing closes it, or
 * where it names what is no character.
 */
export function ansiText(
  text: string,
  from: number,
): { readonly text: string; readonly end: number } | undefined {
  let found = "";
  for (let at = from; at < text.length; ) {
    const char = text[at]!;
    if (char === "'") return { text: found, end: at + 1 };
    if (char !== "\\") {
      found += char;
      at++;
      continue;
    }
    NUMBER.lastIndex = at;
    const sequence = NUMBER.exec(text);
    if (!sequence) return undefined;
    const [whole, hex, short, long, octal, control, letter] = sequence;
    const digits = hex ?? short ?? long;
    if (digits !== undefined || octal !== undefined) {
      const code = digits === undefined ? Number.parseInt(octal!, 8) & 0xff : Number.parseInt(digits, 16);
      // Bash ends the text at a NUL; what is beyond ASCII depends on the locale.
      if (code === 0 || code > 0x7e) return undefined;
      found += String.fromCharCode(code);
    } else if (control !== undefined) found += String.fromCharCode(control.charCodeAt(0) & 0x1f);
    else found += LETTERS[letter!] ?? (/["'?\\]/.test(letter!) ? letter! : `\\${letter}`);
    at += whole.length;
  }
  return undefined;
}
