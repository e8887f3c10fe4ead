import { describe, expect, it } from "vitest";
import { eventData, textLines } from "../../../src/surfaces/gateway/text-lines.ts";

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
});

describe("event data", () => {
  it("leaves out comments, names and ids, and joins lines of one event", async () => {
    const stream = chunks(
      ": keepalive\n\nevent: message\nid: 1\nda",
      "ta: {\ndata:}\n\n",
      "data: 2\n\ndata: cut off",
    );
    expect(await collect(eventData(stream))).toEqual(["{\n}", "2"]);
  });
});
