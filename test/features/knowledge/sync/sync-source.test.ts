import { expect, test } from "vitest";
import type { SyncProgress } from "../../../../src/features/knowledge/contract.ts";
import type {
  FileReader,
  ReadDocument,
  ReadEnd,
  ReadJob,
} from "../../../../src/features/knowledge/parse/read-job.ts";
import { compareKeys } from "../../../../src/features/knowledge/sources/compare-keys.ts";
import type { FileType } from "../../../../src/features/knowledge/sources/file-type.ts";
import type { Scanned } from "../../../../src/features/knowledge/sources/scan-folder.ts";
import type { SourcePlan } from "../../../../src/features/knowledge/sources/source-plan.ts";
import { syncSource } from "../../../../src/features/knowledge/sync/sync-source.ts";
import { systemClock } from "../../../../src/lib/clock.ts";
import { MemoryIndex } from "../../../support/memory-index.ts";

const PLAN = { kind: "folder", root: "/docs" } as SourcePlan;
const JOB = { sourceId: "src_1", name: "docs", plan: PLAN };
const NEVER = new AbortController().signal;

const file = (key: string, modifiedAt = 1, type: FileType = "text"): Scanned => ({
  ...{ kind: "file", key, path: `/docs/${key}`, type, modifiedAt, size: 10 },
});
const unseen = (key: string): Scanned => ({ kind: "unseen", key, reason: "it may not be read" });

const document = (key: string, hash = `hash of ${key}`): ReadDocument => ({
  ...{ key, title: key, type: "text", tags: [], uri: key, documentAt: 0, metadata: {}, hash },
  passages: [{ text: key, headings: [], start: 0, end: key.length }],
});

/** Reads what it is told; what it was asked for is in `asked`. */
class Told implements FileReader {
  readonly asked: string[] = [];
  ends: Record<string, ReadEnd> = {};
  members: Record<string, readonly ReadDocument[]> = {};
  givenUp: readonly string[] = [];

  async read(job: ReadJob, onMembers: (members: readonly ReadDocument[]) => Promise<void>): Promise<ReadEnd> {
    this.asked.push(job.key);
    const members = this.members[job.key];
    const state = { modifiedAt: job.modifiedAt, size: 10 };
    if (members) {
      await onMembers(members);
      return { kind: "members", hash: String(members.length), problems: [], givenUp: this.givenUp, ...state };
    }
    return this.ends[job.key] ?? { kind: "read", document: document(job.key), ...state };
  }

  async close() {}
}

const setup = () => {
  const [writer, reader] = [new MemoryIndex(), new Told()];
  const run = (scan: readonly Scanned[] | (() => Iterable<Scanned>), signal = NEVER) =>
    syncSource(
      JOB,
      {
        ...{ writer, reader, clock: systemClock, onProgress: () => {} },
        scan: () => (typeof scan === "function" ? scan() : scan),
      },
      signal,
    );
  return { writer, reader, run, keys: () => [...writer.entities.keys()].sort() };
};

test("what lies below a place that could not be looked at stays, and what vanished beside it goes", async () => {
  const { run, keys } = setup();
  await run([file("a"), file("closed/b"), file("closed/c"), file("d"), file("z")]);
  const report = await run([file("a"), unseen("closed/"), unseen("d")]);
  expect(report).toMatchObject({ ok: true, gone: 1, failed: 2, unchanged: 1 });
  expect(keys()).toEqual(["a", "closed/b", "closed/c", "d"]);
});

test("a scan that fails half-way takes nothing away, and keeps what was read before", async () => {
  const { run, keys } = setup();
  await run([file("b"), file("c")]);
  const report = await run(function* () {
    yield file("a");
    yield file("c");
    throw new Error("the drive is gone");
  });
  expect(report).toMatchObject({ ok: false, error: "the drive is gone", added: 1, gone: 0 });
  expect(keys()).toEqual(["a", "b", "c"]);
});

test("a scan that stopped at too many files takes nothing away that it did not come to", async () => {
  const { run, keys } = setup();
  await run([file("a"), file("b"), file("c")]);
  expect(await run([file("a"), unseen("")])).toMatchObject({ ok: true, gone: 0, failed: 1 });
  expect(keys()).toEqual(["a", "b", "c"]);
});

test("a broken file is reported, forgotten in its old state, and not read again until it changes", async () => {
  const { run, reader, writer } = setup();
  await run([file("a")]);
  reader.ends = { a: { kind: "failed", reason: "it is broken", lasting: true } };
  expect(await run([file("a", 2)])).toMatchObject({
    failed: 1,
    problems: [{ key: "a", reason: "it is broken" }],
  });
  expect(writer.entities.get("a")).toMatchObject({ chunks: [], hash: "failed: it is broken" });
  expect(await run([file("a", 2)])).toMatchObject({
    failed: 1,
    problems: [{ key: "a", reason: "it is broken" }],
  });
  expect(reader.asked).toEqual(["a", "a"]);
  reader.ends = {};
  expect(await run([file("a", 3)])).toMatchObject({ failed: 0, changed: 1 });
});

test("a file that was given up keeps what is known of it, is tried once more, and then not until it changes", async () => {
  const { run, reader, writer } = setup();
  await run([file("a")]);
  const end = { kind: "failed", reason: "it took too long", lasting: "if again" } as const;
  reader.ends = { a: end, b: end };
  const files = [file("a", 2), file("b", 2)];
  expect(await run(files)).toMatchObject({ failed: 2 });
  expect(writer.entities.get("a")).toMatchObject({ chunks: [{ text: "a" }], hash: "hash of a" });
  expect(writer.entities.get("b")).toMatchObject({ chunks: [] });
  expect(await run(files)).toMatchObject({ failed: 2 });
  expect(writer.entities.get("a")).toMatchObject({ chunks: [], hash: "failed: it took too long" });
  expect(await run(files)).toMatchObject({ failed: 2, problems: [{ key: "a" }, { key: "b" }] });
  expect(reader.asked).toEqual(["a", "a", "b", "a", "b"]);
});

test("a file that was given up once is whole when it can be read the second time", async () => {
  const { run, reader, writer } = setup();
  await run([file("a")]);
  reader.ends = { a: { kind: "failed", reason: "it took too long", lasting: "if again" } };
  await run([file("a", 2)]);
  reader.ends = {};
  expect(await run([file("a", 2)])).toMatchObject({ failed: 0, changed: 1 });
  expect(writer.entities.get("a")).toMatchObject({ chunks: [{ text: "a" }], size: 10 });
  expect(await run([file("a", 2)])).toMatchObject({ unchanged: 1 });
});

test("a file that cannot be read now keeps what is known of it, and is tried again", async () => {
  const { run, reader, writer } = setup();
  await run([file("a")]);
  reader.ends = { a: { kind: "failed", reason: "no", lasting: false } };
  expect(await run([file("a", 2)])).toMatchObject({ failed: 1 });
  expect(writer.entities.get("a")?.chunks).toHaveLength(1);
  await run([file("a", 2)]);
  expect(reader.asked).toEqual(["a", "a", "a"]);
});

test("of a file with many documents only those that changed are written, and vanished ones go", async () => {
  const { run, reader, writer, keys } = setup();
  const mbox = (at: number) => [file("a"), file("box.mbox/", at, "mbox"), file("c")];
  reader.members = { "box.mbox/": [document("box.mbox/1"), document("box.mbox/2"), document("box.mbox/3")] };
  expect(await run(mbox(1))).toMatchObject({ seen: 3, added: 5 });
  expect(await run(mbox(1))).toMatchObject({ unchanged: 3, added: 0 });
  expect(reader.asked).toHaveLength(3);

  writer.written.length = 0;
  reader.members = {
    "box.mbox/": [document("box.mbox/1"), document("box.mbox/2", "new"), document("box.mbox/4")],
  };
  expect(await run(mbox(2))).toMatchObject({ added: 1, changed: 1, gone: 1 });
  expect(writer.written).toEqual(["box.mbox/2", "box.mbox/4", "box.mbox/"]);
  expect(keys()).toEqual(["a", "box.mbox/", "box.mbox/1", "box.mbox/2", "box.mbox/4", "c"]);

  expect(await run([file("a"), file("c")])).toMatchObject({ gone: 4 });
  expect(keys()).toEqual(["a", "c"]);
});

test("a document of many that was given up keeps what is known of it, and its file is read once more", async () => {
  const { run, reader, keys } = setup();
  const box = (at: number) => [file("box.mbox/", at, "mbox")];
  reader.members = { "box.mbox/": [document("box.mbox/1"), document("box.mbox/2")] };
  await run(box(1));
  reader.members = { "box.mbox/": [document("box.mbox/1")] };
  reader.givenUp = ["box.mbox/2"];
  for (let round = 0; round < 4; round++) await run(box(2));
  expect(keys()).toEqual(["box.mbox/", "box.mbox/1", "box.mbox/2"]);
  expect(reader.asked).toHaveLength(3);
});

test("a file with many documents counts as read as soon as it was, also where the sync fails later", async () => {
  const { run, reader, keys } = setup();
  reader.members = { "a.mbox/": [document("a.mbox/1"), document("a.mbox/2")] };
  await run([file("a.mbox/", 1, "mbox"), file("z")]);
  reader.members = { "a.mbox/": [document("a.mbox/2")] };
  const failing = function* () {
    yield file("a.mbox/", 2, "mbox");
    throw new Error("the drive is gone");
  };
  expect(await run(failing)).toMatchObject({ ok: false, gone: 1 });
  expect(keys()).toEqual(["a.mbox/", "a.mbox/2", "z"]);
  await run([file("a.mbox/", 2, "mbox"), file("z")]);
  expect(reader.asked).toEqual(["a.mbox/", "z", "a.mbox/"]);
});

test("what was written before writing failed stays, and the next run completes it", async () => {
  const { run, writer, keys } = setup();
  const files = Array.from({ length: 1_000 }, (_, number) => file(String(number).padStart(4, "0")));
  const write = writer.write.bind(writer);
  let calls = 0;
  writer.write = async (entities) => {
    if (++calls === 3) throw new Error("the disk is full");
    await write(entities);
  };
  expect(await run(files)).toMatchObject({ ok: false, error: "the disk is full" });
  expect(keys().length).toBeLessThan(1_000);
  writer.write = write;
  expect(await run(files)).toMatchObject({ ok: true });
  expect(keys()).toHaveLength(1_000);
});

test("nothing is written after it was aborted", async () => {
  const { run, writer } = setup();
  const stop = new AbortController();
  const scan = function* () {
    for (let number = 0; number < 500; number++) {
      if (number === 300) stop.abort(new Error("enough"));
      yield file(String(number).padStart(4, "0"));
    }
  };
  await expect(run(scan, stop.signal)).rejects.toThrow("enough");
  const { size } = writer.entities;
  await new Promise((resolve) => setImmediate(resolve));
  expect(writer.entities.size).toBe(size);
});

test("progress counts what there is first, then what was read of it, with the rate of each", async () => {
  const told: SyncProgress[] = [];
  let now = 0;
  const files = Array.from({ length: 200 }, (_, number) => file(String(number).padStart(4, "0")));
  const step = function* <T>(all: Iterable<T>, ms: number) {
    for (const one of all) {
      now += ms;
      yield one;
    }
  };
  const [writer, reader] = [new MemoryIndex(), new Told()];
  const deps = { writer, reader, clock: () => now, onProgress: (update: SyncProgress) => told.push(update) };
  const list = () =>
    step(
      files.map((_, at) => at + 1),
      5,
    );
  await syncSource(JOB, { ...deps, list, scan: () => step(files, 10) }, NEVER);
  const of = (phase: string) => told.filter((update) => update.phase === phase);
  expect(of("scanning").map(({ total }) => total)).toEqual([undefined, 64, 128, 192]);
  expect(of("scanning").at(-1)).toMatchObject({ seen: 0, rate: 200 });
  const seen = of("reading").map((update) => update.seen);
  expect(seen[0]).toBe(1);
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  expect(of("reading").every(({ total }) => total === 200)).toBe(true);
  expect(of("reading").at(-1)!.rate).toBeCloseTo(100, -1);
  expect(told.at(-1)).toMatchObject({ phase: "done", seen: 200, total: 200, added: 200 });

  told.length = 0;
  await syncSource(JOB, { ...deps, scan: () => step(files, 10) }, NEVER);
  expect(told.map(({ phase }) => phase)).toEqual(["scanning", ...Array(4).fill("reading"), "done"]);
  expect(told.every(({ total }) => total === undefined)).toBe(true);
});

test("keys sort as databases sort their bytes", () => {
  const keys = ["a", "a.txt", "a/b", "b", "\uffff", "\u{1f600}", "\u{10ffff}", "é"];
  const sorted = [...keys].sort(compareKeys);
  expect(sorted).toEqual(
    [...keys].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
  );
});
