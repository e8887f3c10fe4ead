import { describe, expect, test } from "vitest";
import { boundedBody, boundedFetch } from "../../../src/lib/net/bounded-fetch.ts";
import { remoteServer } from "../../support/remote-server.ts";

test("an answer is refused once its body is larger than the limit", async () => {
  await using remote = await remoteServer((_, response) => response.end("x".repeat(5000)));
  const limited = boundedFetch(1000);
  await expect(limited(remote.url).then((response) => response.text())).rejects.toThrow(
    "more than 1000 bytes",
  );
  await expect(boundedFetch(5000)(remote.url).then((response) => response.text())).resolves.toHaveLength(
    5000,
  );
});

describe("an event stream", () => {
  const read = (chunks: readonly string[], maxBytes: number) =>
    new Response(boundedBody(streamOf(chunks), "Text/Event-Stream; charset=utf-8", maxBytes)).text();

  test.each([["\n"], ["\r\n"], ["\r"]])(
    "with lines that end in %j may go on for ever, but no event may",
    async (end) => {
      const event = (size: number) => `event: e${end}data: ${"x".repeat(size)}${end}${end}`;
      const many = Array.from({ length: 20 }, () => event(500));
      expect(await read(many, 1000)).toBe(many.join(""));
      expect(await read([...many.join("")], 1000)).toBe(many.join(""));
      await expect(read([event(500), event(3000)], 1000)).rejects.toThrow("more than 1000 bytes");
      await expect(read([...event(3000)], 1000)).rejects.toThrow("more than 1000 bytes");
    },
  );

  test("does not begin a new event with a new line alone", async () => {
    const line = `data: ${"x".repeat(500)}\r\n`;
    await expect(read([line, line, line], 1000)).rejects.toThrow("more than 1000 bytes");
  });
});

test("a source that sends too much is told to stop", async () => {
  let reason: unknown;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(400)),
    cancel: (why) => {
      reason = why;
    },
  });
  await expect(new Response(boundedBody(endless, null, 1000)).text()).rejects.toThrow("more than 1000");
  expect(reason).toMatchObject({ message: expect.stringContaining("more than 1000 bytes") });
});

test("nothing is read from a source before somebody asks", async () => {
  let pulled = 0;
  const source = new ReadableStream<Uint8Array>(
    { pull: (controller) => controller.enqueue(new Uint8Array(++pulled)) },
    { highWaterMark: 0 },
  );
  const reader = boundedBody(source, null, 1000).getReader();
  await new Promise(setImmediate);
  expect(pulled).toBe(0);
  await reader.read();
  expect(pulled).toBe(1);
  await reader.cancel();
});

function streamOf(chunks: readonly string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return ReadableStream.from(chunks.map((chunk) => encoder.encode(chunk))) as ReadableStream<Uint8Array>;
}
