import type { Position } from "./document/document.ts";

/** A place in a text that only moves forward and knows its line and column. */
export class TextCursor {
  readonly #text: string;
  #at = 0;
  #line = 1;
  #lineStart = 0;
  #lineEnd: number;

  constructor(text: string) {
    this.#text = text;
    this.#lineEnd = text.indexOf("\n");
  }

  /** The next character; undefined at the end. */
  get next(): string | undefined {
    return this.#text[this.#at];
  }

  /** Takes what the pattern, which must be sticky, matches here; undefined when it does not match. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  skip(characters: number): void {
    this.#at += characters;
  }

  position(): Position {
    while (this.#lineEnd !== -1 && this.#lineEnd < this.#at) {
      this.#line++;
      this.#lineStart = this.#lineEnd + 1;
      this.#lineEnd = this.#text.indexOf("\n", this.#lineStart);
    }
    return { line: this.#line, column: this.#at - this.#lineStart + 1 };
  }
}
