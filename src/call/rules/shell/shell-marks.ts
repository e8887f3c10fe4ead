/** A place where a command line is more than one plain command: an operator, a substitution, a line break. */
export interface Mark {
  readonly at: number;
  readonly char: string;
}

const NO_MARKS: readonly Mark[] = Object.freeze([]);
const PLAIN = /^[\w@%+=:,./ -]*$/;

/** Whether no character of it has a meaning to a shell. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/**
 * An allow compares these one by one, so `*` never stands for one. Deliberately simpler than `shell-reader.ts`: it
 * knows quotes and backslashes, and everything else that could start something is a mark.
 */
export function findMarks(text: string): readonly Mark[] {
  if (isPlain(text)) return NO_MARKS;
  const marks: Mark[] = [];
  const substitutions: Substitution[] = [];
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (isBreak(char)) marks.push({ at, char });
    else if (quote === "'") quote = char === "'" ? "" : quote;
    else if (char === "\\" && at + 1 < text.length && !isBreak(text[at + 1]!)) at++;
    else if (char === "$" || char === "`") {
      marks.push({ at, char });
      const isEnd = char === "`" && substitutions.at(-1)?.end === "`";
      if (isEnd) quote = substitutions.pop()!.quote;
      else if (char === "`" || text[at + 1] === "(") {
        substitutions.push({ quote, end: char === "`" ? "`" : ")" });
        quote = "";
        if (char === "$") marks.push({ at: ++at, char: "(" });
      }
    } else if (quote === '"') quote = char === '"' ? "" : quote;
    else if (char === "'" || char === '"') quote = char;
    else if ("<>;&|()".includes(char)) {
      marks.push({ at, char });
      if (char === ")" && substitutions.at(-1)?.end === ")") quote = substitutions.pop()!.quote;
    }
  }
  // An unclosed quote may mean anything.
  if (quote !== "") marks.push({ at: text.length, char: "'" });
  return marks;
}

/** The quote around a substitution, and the character that ends it. */
interface Substitution {
  readonly quote: string;
  readonly end: string;
}

/** Line breaks end a command, and other control characters do not belong in one. */
function isBreak(char: string): boolean {
  return char < " " && char !== "\t";
}
