import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { commentText, eventData, eventText, sendEventText } from "../../src/lib/sse.ts";

async function* chunks(...parts: (string | Uint8Array)[]) {
  yield* parts;
}

async function collect(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

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

describe("the text of an event", () => {
  it("has only the fields that were given", () => {
    expect(eventText({ data: "{}" })).toBe("data: {}\n\n");
    expect(eventText({ event: "message", id: undefined, data: "{}" })).toBe("event: message\ndata: {}\n\n");
    expect(eventText({ event: "e", id: "7", retryMs: 100, data: "" })).toBe(
      "event: e\nid: 7\nretry: 100\ndata: \n\n",
    );
  });

  it("comes back as its data, and a comment as nothing", async () => {
    const text = [
      commentText("still here"),
      eventText({ id: "1", data: '{"a":1}' }),
      commentText("still here", "2"),
      eventText({ event: "x", data: "2" }),
    ];
    expect(text[0]).toBe(": still here\n\n");
    expect(text[2]).toBe(": still here\nid: 2\n\n");
    expect(await collect(eventData(chunks(text.join(""))))).toEqual(['{"a":1}', "2"]);
  });
});

describe("sending", () => {
  it("cuts off a reader that lets too much pile up, and says nothing to one that is gone", () => {
    const reader = new PassThrough({ highWaterMark: 1 });
    sendEventText(reader, "x".repeat(10), 1_000);
    expect(reader.destroyed).toBe(false);
    sendEventText(reader, "x".repeat(2_000), 1_000);
    expect(reader.destroyed).toBe(true);
    expect(() => sendEventText(reader, "x", 1_000)).not.toThrow();
  });
});
