/**
 * Puts Markdown together: text is collected into lines, lines into blocks, and every line gets the prefixes of the
 * lists and quotes it stands in. Stops taking text once it has `maxChars`.
 */
export class MarkdownWriter {
  readonly #maxChars: number;
  readonly #prefixes: string[] = [];
  #out = "";
  #line = "";
  /** What the next line begins with in the place of the last prefix: the mark of a list item. */
  #mark: string | undefined;
  #isTight = false;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  get isFull(): boolean {
    return this.#out.length + this.#line.length > this.#maxChars;
  }

  /** Runs of white space become one space. */
  text(text: string): void {
    if (this.isFull) return;
    const collapsed = text.replace(/[\s\u200b]+/g, " ");
    const isSpaceEnough = /(^|[\s\n])$/.test(this.#line);
    this.#line += isSpaceEnough ? collapsed.replace(/^ /, "") : collapsed;
  }

  lineBreak(): void {
    if (!this.isFull) this.#line = `${this.#line.trimEnd()}\n`;
  }

  /** Ends the line under way; what comes next is a block of its own, after an empty line unless `isTight`. */
  endBlock(isTight = false): void {
    const block = this.#line.trim();
    this.#line = "";
    if (block !== "") this.#write(block.split("\n"));
    this.#isTight = isTight;
  }

  /** A block whose lines are kept as they are. */
  verbatim(lines: readonly string[]): void {
    this.endBlock();
    if (!this.isFull) this.#write(lines);
    this.#isTight = false;
  }

  /** Everything that `write` writes stands behind `prefix`, and its first line behind `mark`. */
  within(prefix: string, mark: string, write: () => void): void {
    this.endBlock(this.#isTight);
    this.#prefixes.push(prefix);
    this.#mark = mark;
    write();
    this.endBlock(this.#isTight);
    this.#prefixes.pop();
    this.#mark = undefined;
  }

  toString(): string {
    this.endBlock();
    return this.#out;
  }

  #write(lines: readonly string[]): void {
    const prefix = this.#prefixes.join("");
    if (this.#out !== "") this.#out += this.#isTight || this.#mark?.trim() ? "\n" : `\n${prefix.trimEnd()}\n`;
    for (const [index, line] of lines.entries()) {
      const start = index === 0 && this.#mark !== undefined ? this.#marked() : prefix;
      this.#out += `${index > 0 ? "\n" : ""}${`${start}${line}`.trimEnd()}`;
    }
    this.#mark = undefined;
  }

  #marked(): string {
    return this.#prefixes.slice(0, -1).join("") + this.#mark;
  }
}
