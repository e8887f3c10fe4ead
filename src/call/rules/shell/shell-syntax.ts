/** What a command line consists of. */

/** Stands in texts for what only a run can tell. Command lines that contain it are not read. */
export const UNKNOWN = "\uffff";

/** A word without its quotes. */
export interface Word {
  /** With `UNKNOWN` for every variable, substitution, file name pattern and brace list. */
  readonly text: string;
  /** It contains an unknown that may be anything; file name patterns do not count. */
  readonly isOpen: boolean;
  /** The unknown in it may become several words. */
  readonly splits: boolean;
  readonly isGlob: boolean;
  readonly isQuoted: boolean;
  /** It contains the output of another command. */
  readonly hasOutput: boolean;
  /** It is quoted text in which a shell that reads it again would find a substitution. */
  readonly hasCode: boolean;
}

export interface Assigned {
  readonly name: string;
  readonly value: Word;
}

export interface SimpleCommand {
  /** Without preceding assignments and without redirections. */
  readonly words: Word[];
  readonly assignments: Assigned[];
  /** Everything of it, as texts. */
  readonly texts: string[];
  /** Preceded by a keyword such as `time`. */
  hasKeyword?: true;
  /** Its here-document or here-string. */
  input?: Word;
  readonly from: number;
  to: number;
}

export class WordBuilder {
  #text = "";
  /** The text without quoted characters, for patterns and braces. */
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

  /** Adds an element of a list. */
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
    const isUnknown = isList || isClass;
    const text = isUnknown
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
