import { Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { LineWriter } from "../../../src/servers/transport/stdio-transport.ts";

/** An input that notes each write; `fails` says with what the next ones fail. */
function input() {
  const writes: string[] = [];
  const state: { fails?: Error; hangs?: boolean } = {};
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      writes.push(String(chunk));
      if (!state.hangs) done(state.fails ?? null);
    },
  });
  stream.on("error", () => {});
  return { writes, state, stream };
}

const ignored = () => {};

test("a line that comes alone leaves at once", () => {
  const { writes, stream } = input();
  new LineWriter(stream, 1000).post("one", ignored);
  expect(writes).toEqual(["one\n"]);
});

test("lines that come together leave together, in their order, as long as several do", async () => {
  const { writes, stream } = input();
  const writer = new LineWriter(stream, 1000);
  for (const line of ["1", "2", "3"]) writer.post(line, ignored);
  await nextTurn();
  for (const line of ["4", "5"]) writer.post(line, ignored);
  await nextTurn();
  writer.post("6", ignored);
  await nextTurn();
  writer.post("7", ignored);
  expect(writes).toEqual(["1\n", "2\n3\n", "4\n5\n", "6\n", "7\n"]);
});

test("a line that comes alone leaves at once also where several came together before, but never past one that waits", async () => {
  const { writes, stream } = input();
  const writer = new LineWriter(stream, 1000);
  for (const line of ["1", "2"]) writer.post(line, ignored);
  writer.post("3", ignored, true);
  await nextTurn();
  writer.post("4", ignored, true);
  expect(writes).toEqual(["1\n", "2\n3\n", "4\n"]);
});

test("only a line that was written alone is known not to have left when writing fails", async () => {
  const ends: Record<string, unknown> = {};
  const note = (line: string) => (error?: { data?: unknown }) => {
    ends[line] = error?.data ?? "written";
  };
  const one = input();
  one.state.fails = new Error("EPIPE");
  new LineWriter(one.stream, 1000).post("alone", note("alone"));
  await expect.poll(() => ends.alone).toBe("unsent");

  const many = input();
  const writer = new LineWriter(many.stream, 1000);
  writer.post("first", note("first"));
  writer.post("second", note("second"));
  writer.post("third", note("third"));
  many.state.fails = new Error("EPIPE");
  await expect.poll(() => ends).toMatchObject({ first: "written", second: "unknown", third: "unknown" });
  expect(writer.isBroken).toBe(true);
  await writer.waitUntilWritten();
});

test("what waits when the input ends was not sent, nor is what comes afterwards", async () => {
  const { writes, stream } = input();
  const writer = new LineWriter(stream, 1000);
  const ends: unknown[] = [];
  for (const line of ["1", "2", "3"]) writer.post(line, (error) => ends.push(error?.data));
  stream.end();
  await nextTurn();
  writer.post("4", (error) => ends.push(error?.data));
  await writer.waitUntilWritten();
  expect(writes).toEqual(["1\n"]);
  expect(ends.sort()).toEqual(["unsent", "unsent", "unsent", undefined]);
});

test("a process that does not read is not written to without end", () => {
  const { state, stream } = input();
  state.hangs = true;
  const writer = new LineWriter(stream, 1000);
  const ends: unknown[] = [];
  for (let n = 0; n < 20; n++) writer.post("x".repeat(100), (error) => ends.push(error?.data));
  expect(ends.length).toBeGreaterThan(5);
  expect(new Set(ends)).toEqual(new Set(["unsent"]));
});
