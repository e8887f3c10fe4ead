import type { Block } from "../chunks/block.ts";
import { MAX_TEXT } from "./parsed-document.ts";
import { isBlank } from "./plain-text.ts";

/** Puts a text together from pieces of a document that is not written as text, with its structure. */
export class TextBuilder {
  readonly #pieces: string[] = [];
  readonly #blocks: Block[] = [];
  #length = 0;

  /** No more is taken. */
  get isFull(): boolean {
    return this.#length >= MAX_TEXT;
  }

  heading(level: number, text: string): void {
    const title = text.replace(/\s+/g, " ").trim();
    if (title === "") return;
    const place = this.#add(title, "\n\n");
    if (place) this.#blocks.push({ kind: "heading", level, title, ...place });
  }

  paragraph(text: string): void {
    const place = this.#add(text.trim(), "\n\n");
    if (place) this.#blocks.push({ kind: "prose", ...place });
  }

  /** One line of several: an item of a list, a row of a table. */
  line(text: string): void {
    const place = this.#add(text.trimEnd(), "\n");
    if (place) this.#blocks.push({ kind: "lines", ...place });
  }

  /** Lines that belong together. */
  lines(text: string): void {
    const place = this.#add(withoutBlankStart(text).trimEnd(), "\n\n");
    if (place) this.#blocks.push({ kind: "lines", ...place });
  }

  build(): { readonly text: string; readonly blocks: readonly Block[] } {
    return { text: this.#pieces.join(""), blocks: this.#blocks };
  }

  #add(text: string, end: string): { readonly start: number; readonly end: number } | undefined {
    const fitting = text.slice(0, MAX_TEXT - this.#length);
    if (fitting === "") return undefined;
    const start = this.#length;
    this.#pieces.push(fitting, end);
    this.#length += fitting.length + end.length;
    return { start, end: start + fitting.length };
  }
}

/** From its first line that says something. By hand: a pattern runs out of its stack on millions of empty lines. */
function withoutBlankStart(text: string): string {
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0 && isBlank(text, start, end); end = text.indexOf("\n", start))
    start = end + 1;
  return text.slice(start);
}
