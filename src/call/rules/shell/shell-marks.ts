/** Where a command line is more than one plain command: an operator, a substitution, a line break. */
export interface Mark {
  readonly at: number;
  readonly char: string;
}

const NO_MARKS: readonly Mark[] = Object.freeze([]);
const PLAIN = /^[\w@%+=:,./ -]*$/;

/** No character of it means anything to a shell. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/**
 * An allow compares these one by one, so what `*` stands for never holds one. Deliberately simpler than
 * `shell-reader.ts`: it knows quotes and backslashes, and whatever else could start something is a mark.
 */
export function marksOf(text: string): readonly Mark[] {
  if (isPlain(text)) return NO_MARKS;
  const marks: Mark[] = [];
  const outer: Substitution[] = [];
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (isBreak(char)) marks.push({ at, char });
    else if (quote === "'") quote = char === "'" ? "" : quote;
    else if (char === "\\" && at + 1 < text.length && !isBreak(text[at + 1]!)) at++;
    else if (char === "$" || char === "`") {
      marks.push({ at, char });
      const isEnd = char === "`" && outer.at(-1)?.end === "`";
      if (isEnd) quote = outer.pop()!.quote;
      else if (char === "`" || text[at + 1] === "(") {
        outer.push({ quote, end: char === "`" ? "`" : ")" });
        quote = "";
        if (char === "$") marks.push({ at: ++at, char: "(" });
      }
    } else if (quote === '"') quote = char === '"' ? "" : quote;
    else if (char === "'" || char === '"') quote = char;
    else if ("<>;&|()".includes(char)) {
      marks.push({ at, char });
      if (char === ")" && outer.at(-1)?.end === ")") quote = outer.pop()!.quote;
    }
  }
  // A quote that nothing closes may mean anything.
  if (quote !== "") marks.push({ at: text.length, char: "'" });
  return marks;
}

/** The quote that a substitution stands in, and which character ends it. */
interface Substitution {
  readonly quote: string;
  readonly end: string;
}

/** Line breaks end a command, and no other control character belongs into one. */
function isBreak(char: string): boolean {
  return char < " " && char !== "\t";
}
