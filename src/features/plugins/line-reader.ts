/** Cuts what comes from a pipe into lines, none longer than `maxBytes`. */
export class LineReader {
  readonly #maxBytes: number;
  #pending: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in this piece; undefined once one is too long, after which nothing more is to be read. */
  read(chunk: Buffer): string[] | undefined {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      if (!this.#collect(chunk.subarray(start, end))) return undefined;
      lines.push(Buffer.concat(this.#pending, this.#bytes).toString("utf8"));
      this.#pending = [];
      this.#bytes = 0;
      start = end + 1;
    }
    return this.#collect(chunk.subarray(start)) ? lines : undefined;
  }

  #collect(part: Buffer): boolean {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) return false;
    if (part.length > 0) this.#pending.push(part);
    // A message that comes byte by byte would cost a hundred times its size.
    if (this.#pending.length > 1024) this.#pending = [Buffer.concat(this.#pending)];
    return true;
  }
}
