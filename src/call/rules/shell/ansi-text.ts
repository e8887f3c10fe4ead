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
const ESCAPE =
  /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c([\s\S])|([\s\S]))/y;

/**
 * Reads the text of `$'…'`, whose first character is at `from`, and where it ends. Undefined if nothing closes it, or
 * if it names something that is not a character.
 */
export function readAnsiText(
  text: string,
  from: number,
): { readonly text: string; readonly end: number } | undefined {
  let result = "";
  for (let at = from; at < text.length; ) {
    const char = text[at]!;
    if (char === "'") return { text: result, end: at + 1 };
    if (char !== "\\") {
      result += char;
      at++;
      continue;
    }
    ESCAPE.lastIndex = at;
    const sequence = ESCAPE.exec(text);
    if (!sequence) return undefined;
    const [whole, hex, short, long, octal, control, letter] = sequence;
    const digits = hex ?? short ?? long;
    if (digits !== undefined || octal !== undefined) {
      const code = digits === undefined ? Number.parseInt(octal!, 8) & 0xff : Number.parseInt(digits, 16);
      // Bash ends the text at a NUL; codes beyond ASCII depend on the locale.
      if (code === 0 || code > 0x7e) return undefined;
      result += String.fromCharCode(code);
    } else if (control !== undefined) result += String.fromCharCode(control.charCodeAt(0) & 0x1f);
    else result += LETTERS[letter!] ?? (/["'?\\]/.test(letter!) ? letter! : `\\${letter}`);
    at += whole.length;
  }
  return undefined;
}
