/**
 * Beyond this many pieces, the pieces of a line are joined: a line that arrives byte by byte would otherwise take a
 * hundred times its size.
 */
const MAX_PIECES = 1_024;

/** Splits a stream of bytes into lines of UTF-8 with at most `maxBytes` each. */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #cutsLong: boolean;
  /** The pieces of the unfinished line. */
  #pieces: Buffer[] = [];
  #bytes = 0;

  /** `tooLong` says how to treat a longer line. `refuse`: see `write`. `cut`: only its beginning is used. */
  constructor(maxBytes: number, tooLong: "refuse" | "cut" = "refuse") {
    this.#maxBytes = maxBytes;
    this.#cutsLong = tooLong === "cut";
  }

  /**
   * Passes on each line that ends in this chunk, without its line end. Returns false if a line is too long; write
   * nothing more then.
   */
  write(chunk: Buffer, onLine: (line: string) => void): boolean {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      // Most lines arrive whole.
      if (this.#bytes === 0 && end - start <= this.#maxBytes) onLine(chunk.toString("utf8", start, end));
      else if (this.#collect(chunk.subarray(start, end))) onLine(this.end());
      else return false;
      start = end + 1;
    }
    return start === chunk.length || this.#collect(chunk.subarray(start));
  }

  /** Returns the text after the last line end, which may be empty. */
  end(): string {
    const line = Buffer.concat(this.#pieces, this.#bytes).toString("utf8");
    this.#pieces = [];
    this.#bytes = 0;
    return line;
  }

  #collect(part: Buffer): boolean {
    const room = this.#maxBytes - this.#bytes;
    if (part.length > room && !this.#cutsLong) {
      this.#pieces = [];
      return false;
    }
    const piece = part.subarray(0, room);
    this.#bytes += piece.length;
    if (piece.length > 0) this.#pieces.push(piece);
    if (this.#pieces.length > MAX_PIECES) this.#pieces = [Buffer.concat(this.#pieces)];
    return true;
  }
}

/** Only keeps an endless line from filling the memory. */
const MAX_TEXT_LINE = 64 * 1024 * 1024;

/** Yields the lines of a UTF-8 stream without line ends and byte order mark. A last line without an end counts, too. */
export async function* textLines(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const splitter = new LineSplitter(MAX_TEXT_LINE);
  let isFirst = true;
  const clean = (line: string) => {
    const text = isFirst && line.startsWith("\uFEFF") ? line.slice(1) : line;
    isFirst = false;
    return text.endsWith("\r") ? text.slice(0, -1) : text;
  };
  for await (const chunk of stream) {
    const lines: string[] = [];
    if (!splitter.write(bytesOf(chunk), (line) => lines.push(line)))
      throw new Error(`a line has more than ${MAX_TEXT_LINE} bytes`);
    for (const line of lines) yield clean(line);
  }
  const rest = splitter.end();
  if (rest !== "") yield clean(rest);
}

function bytesOf(chunk: Uint8Array | string): Buffer {
  if (typeof chunk === "string") return Buffer.from(chunk);
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
