/**
 * Makes foreign text safe for a terminal: removes control characters, which could move the cursor or change colours.
 */
export function printable(text: string): string {
  return text.replace(CONTROL, "");
}

/** Does the same and joins the text into one line. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, " ")).trim();
}

// Everything in C0 and C1 but tab and newline, and the marks that reverse the reading direction.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
