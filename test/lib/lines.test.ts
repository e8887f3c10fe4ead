import { describe, expect, it } from "vitest";
import { LineSplitter, textLines } from "../../src/lib/lines.ts";

async function* chunks(...parts: (string | Uint8Array)[]) {
  yield* parts;
}

async function collect(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

describe("text lines", () => {
  it("come whole, however the stream is cut", async () => {
    const bytes = Buffer.from("eins\r\nzwei ü\ndrei");
    const single = [...bytes].map((byte) => Uint8Array.of(byte));
    expect(await collect(textLines(chunks(...single)))).toEqual(["eins", "zwei ü", "drei"]);
  });

  it("leave out a mark of the byte order, but only at the beginning", async () => {
    const marked = Buffer.from("\uFEFF{}\n\uFEFF{}\n");
    expect(await collect(textLines(chunks(marked)))).toEqual(["{}", "\uFEFF{}"]);
  });

  it("may be empty, and may be cut out of a larger buffer", async () => {
    const bytes = new Uint8Array(Buffer.from("xxa\n\nbxx")).subarray(2, 6);
    expect(await collect(textLines(chunks(bytes)))).toEqual(["a", "", "b"]);
    expect(await collect(textLines(chunks()))).toEqual([]);
  });
});

describe("a line splitter", () => {
  function split(splitter: LineSplitter, pieces: readonly Buffer[]) {
    const lines: string[] = [];
    const taken = pieces.map((piece) => splitter.write(piece, (line) => lines.push(line)));
    return { lines, taken };
  }

  it("gives the same lines wherever the bytes are cut, also within a character", () => {
    const text = "eins\n\nzw\u00e4i \u{1F600}\ndrei";
    const bytes = Buffer.from(text);
    for (let at = 0; at <= bytes.length; at++) {
      for (let then = at; then <= bytes.length; then += 3) {
        const splitter = new LineSplitter(20);
        const pieces = [bytes.subarray(0, at), bytes.subarray(at, then), bytes.subarray(then)];
        expect([...split(splitter, pieces).lines, splitter.end()]).toEqual(text.split("\n"));
      }
    }
  });

  it("takes a line of exactly the limit and refuses a longer one, in one piece or many, after what came before it", () => {
    const fitting = Buffer.from("12345\n");
    const longer = Buffer.from("a\n123456\nb\n");
    expect(split(new LineSplitter(5), [fitting])).toEqual({ lines: ["12345"], taken: [true] });
    expect(split(new LineSplitter(5), [longer])).toEqual({ lines: ["a"], taken: [false] });
    const bytes = [...Buffer.from("123456")].map((byte) => Buffer.of(byte));
    expect(split(new LineSplitter(5), bytes).taken).toEqual([true, true, true, true, true, false]);
  });

  it("cuts long lines where it is told to, and goes on behind them", () => {
    const splitter = new LineSplitter(3, "cut");
    const { lines, taken } = split(splitter, [
      Buffer.from("12345\nab"),
      Buffer.from("cdef"),
      Buffer.from("gh\nx"),
    ]);
    expect(lines).toEqual(["123", "abc"]);
    expect(taken).toEqual([true, true, true]);
    expect(splitter.end()).toBe("x");
    expect(splitter.end()).toBe("");
  });

  it("joins what comes byte by byte", () => {
    const long = "x".repeat(5_000);
    const bytes = [...Buffer.from(`${long}\n`)].map((byte) => Buffer.of(byte));
    expect(split(new LineSplitter(10_000), bytes).lines).toEqual([long]);
  });
});
