/** What a command line is made of. */

/** Stands in texts for what only a run can tell. No command line that holds it is read. */
export const UNKNOWN = "\uffff";

/** A word without its quotes. */
export interface Word {
  /** With `UNKNOWN` for every variable, substitution, pattern of file names and list in braces. */
  readonly text: string;
  /** There is an unknown in it that may be anything: all but patterns of file names. */
  readonly isOpen: boolean;
  /** What is open in it may become several words. */
  readonly splits: boolean;
  readonly isGlob: boolean;
  readonly isQuoted: boolean;
  /** There is in it what another command prints. */
  readonly hasOutput: boolean;
  /** It is quoted text in which a shell that reads it once more finds a substitution. */
  readonly hasCode: boolean;
}

export interface Assigned {
  readonly name: string;
  readonly value: Word;
}

export interface SimpleCommand {
  /** Without assignments before them, and without redirections. */
  readonly words: Word[];
  readonly assigned: Assigned[];
  /** Everything of it, as texts. */
  readonly shown: string[];
  /** A keyword stands before it, as `time`. */
  isLed?: true;
  /** Its here-document or here-string. */
  input?: Word;
  readonly from: number;
  to: number;
}

export class WordBuilder {
  #text = "";
  /** The text with quoted characters left out, for what patterns and braces mean. */
  #plain = "";
  #isOpen = false;
  #splits = false;
  #isQuoted = false;
  #hasOutput = false;

  addPlain(char: string): void {
    this.#text += char;
    this.#plain += char;
  }

  addQuoted(text: string): this {
    this.#text += text;
    this.#isQuoted = true;
    return this;
  }

  addUnknown(isQuoted: boolean, hasOutput: boolean): void {
    this.#text += UNKNOWN;
    this.#isOpen = true;
    this.#splits ||= !isQuoted;
    this.#hasOutput ||= hasOutput;
  }

  /** As one element of a list. */
  addWord(word: Word): void {
    if (this.#text !== "") this.#text += " ";
    this.#text += word.text;
    this.#isOpen ||= word.isOpen;
    this.#splits ||= word.splits;
    this.#isQuoted ||= word.isQuoted;
    this.#hasOutput ||= word.hasOutput;
  }

  end(): Word {
    const brace = this.#plain.indexOf("{");
    const isList = brace >= 0 && /,|\.\./.test(this.#plain.slice(brace));
    const bracket = this.#plain.indexOf("[");
    const isClass = bracket >= 0 && this.#plain.includes("]", bracket);
    const isWhole = isList || isClass;
    const text = isWhole
      ? UNKNOWN
      : /[*?]/.test(this.#plain)
        ? this.#text.replace(/[*?]+/g, UNKNOWN)
        : this.#text;
    return {
      text,
      isOpen: this.#isOpen || isList,
      splits: this.#splits || isList,
      isGlob: isClass || /[*?]/.test(this.#plain),
      isQuoted: this.#isQuoted,
      hasOutput: this.#hasOutput,
      hasCode: /\$[({[]|`/.test(this.#text),
    };
  }
}
