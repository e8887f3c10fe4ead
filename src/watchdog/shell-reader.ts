/** A command line as a shell would read it: its words, and what in it starts something else. */

/** Where a command line is more than one plain command: an operator, a substitution, a line break. */
export interface Mark {
  readonly at: number;
  readonly char: string;
}

/** A word without its quotes. */
export interface Word {
  readonly text: string;
  /** Something in it is no text yet: a variable, a pattern, a list in braces. */
  readonly isLoose: boolean;
}

export interface Read {
  readonly marks: readonly Mark[];
  readonly commands: readonly (readonly Word[])[];
}

const NO_MARKS: readonly Mark[] = [];
const PLAIN = /^[\w@%+=:,./ -]*$/;

/** No character of it means anything to a shell. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

export function readCommand(text: string): Read {
  if (isPlain(text)) return readPlain(text);
  const reader = new Reader();
  for (let at = 0; at < text.length; at++) at += reader.take(text, at);
  reader.end(text.length);
  return reader;
}

function readPlain(text: string): Read {
  const words: Word[] = [];
  for (const word of text.split(" ")) if (word !== "") words.push({ text: word, isLoose: false });
  return { marks: NO_MARKS, commands: words.length === 0 ? [] : [words] };
}

type Within = "nothing" | "single" | "double";

class Reader implements Read {
  readonly marks: Mark[] = [];
  readonly commands: (readonly Word[])[] = [];
  #words: Word[] = [];
  #word: string | undefined;
  #isLoose = false;
  #within: Within = "nothing";
  /** What a substitution stands in, and which character ends it. */
  readonly #open: { readonly within: Within; readonly end: string }[] = [];

  /** Takes the character at this place; returns how many more it took. */
  take(text: string, at: number): number {
    const char = text[at]!;
    if (isBreak(char)) this.marks.push({ at, char });
    if (this.#within === "single") return this.#quoted(char, "'");
    if (char === "\\" && at + 1 < text.length && !isBreak(text[at + 1]!)) {
      this.#add(text[at + 1]!);
      return 1;
    }
    if (char === "$" || char === "`") return this.#substitution(text, at);
    if (this.#within === "double") return this.#quoted(char, '"');
    return this.#plain(text, at);
  }

  /** A quote that nothing closes may mean anything. */
  end(at: number): void {
    if (this.#within !== "nothing") this.marks.push({ at, char: "'" });
    this.endCommand();
  }

  endCommand(): void {
    this.#endWord();
    if (this.#words.length > 0) this.commands.push(this.#words);
    this.#words = [];
  }

  #quoted(char: string, end: string): number {
    if (char === end) this.#within = "nothing";
    else this.#add(char);
    return 0;
  }

  #substitution(text: string, at: number): number {
    const char = text[at]!;
    this.marks.push({ at, char });
    if (char === "`" && this.#open.at(-1)?.end === "`") {
      this.#close();
      return 0;
    }
    const opens = char === "`" || text[at + 1] === "(";
    // What it gives becomes part of the word, and that may be the program.
    this.#isLoose = true;
    if (opens) this.#word ??= "";
    else {
      this.#add(char);
      return 0;
    }
    this.endCommand();
    this.#open.push({ within: this.#within, end: char === "`" ? "`" : ")" });
    this.#within = "nothing";
    if (char === "`") return 0;
    this.marks.push({ at: at + 1, char: "(" });
    return 1;
  }

  #plain(text: string, at: number): number {
    const char = text[at]!;
    if (char === "'" || char === '"') {
      this.#within = char === "'" ? "single" : "double";
      this.#word ??= "";
    } else if (char === " " || char === "\t") {
      this.#endWord();
    } else if (char === "<" || char === ">") {
      this.marks.push({ at, char });
      this.#endWord();
      this.#words.push({ text: char, isLoose: false });
    } else if (";&|()".includes(char)) {
      this.marks.push({ at, char });
      const isOfArrow = "&|".includes(char) && "<>".includes(text[at - 1] ?? "x");
      if (isOfArrow) return 0;
      if (char === ")" && this.#open.at(-1)?.end === ")") this.#close();
      else this.endCommand();
    } else if (isBreak(char)) {
      this.endCommand();
    } else {
      this.#isLoose ||= "*?[{".includes(char);
      this.#add(char);
    }
    return 0;
  }

  #close(): void {
    this.endCommand();
    this.#within = this.#open.pop()?.within ?? "nothing";
  }

  #add(char: string): void {
    this.#word = (this.#word ?? "") + char;
  }

  #endWord(): void {
    if (this.#word !== undefined) this.#words.push({ text: this.#word, isLoose: this.#isLoose });
    this.#word = undefined;
    this.#isLoose = false;
  }
}

/** Line breaks end a command, and no other control character belongs into one. */
function isBreak(char: string): boolean {
  return char < " " && char !== "\t";
}
