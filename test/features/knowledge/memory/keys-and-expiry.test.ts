import { describe, expect, it } from "vitest";
import { foundMemories } from "../../../../src/features/knowledge/memory/found-memories.ts";
import { Memory } from "../../../../src/features/knowledge/memory/memory.ts";
import { memoryStore } from "../../../../src/features/knowledge/memory/memory-store.ts";
import { parseQuery } from "../../../../src/features/knowledge/search/query.ts";
import { randomId } from "../../../../src/lib/id.ts";
import { Meanings } from "../../../../src/machine/text/meaning/meanings.ts";
import { NOW } from "../../../machine/db/records.ts";
import { postgresStore, sqliteStore } from "../../../machine/db/stores.ts";
import { FakeEmbedder } from "../../../support/fake-embedder.ts";
import { hasPostgres } from "../../../support/postgres.ts";
import { tempStore } from "../../../support/temp-store.ts";

const ADA = "agt_ada";
const SHARED = "space:shared";
const NOBODY = { labels: [] };

function setUp(kept: Awaited<ReturnType<typeof tempStore>>, embedder?: FakeEmbedder) {
  let now = NOW;
  const meanings = embedder && new Meanings({ embedder, isOn: () => true, waitMs: 5_000 });
  const memory = new Memory({
    store: memoryStore(kept.store.database),
    redact: (text) => text.replaceAll("hunter2-hunter2", "[redacted]"),
    ...(meanings && { meanings }),
    clock: () => now,
    newId: randomId,
  });
  return { memory, meanings, pass: (ms: number) => (now += ms) };
}

const put = (key: string, text: string, more: object = {}) => ({ key, text, tags: [], ...more });

describe("memory under keys", () => {
  it("has one current value of a key; what it said before is history", async () => {
    await using kept = await tempStore();
    const { memory, pass } = setUp(kept);
    const first = await memory.remember(ADA, put("user.editor", "vim"), { by: "ada" });
    pass(10);
    const second = await memory.remember(ADA, put(" user.editor ", "emacs"), { by: "bob" });
    expect([first, second]).toMatchObject([{ superseded: false }, { kind: "kept", superseded: true }]);
    const current = await memory.get([ADA], { key: "user.editor" });
    expect(current).toMatchObject({ text: "emacs", revision: 2, writtenBy: "bob" });
    expect(await memory.history([ADA], current!.id)).toMatchObject([
      { text: "vim", writtenBy: "ada", endedBy: "bob", reason: "superseded", endedAt: NOW + 10 },
    ]);
    expect(await memory.history(["agt_other"], current!.id)).toEqual([]);
    expect(await memory.find([ADA], { query: "vim", limit: 5 })).toEqual([]);
    expect(await memory.remember(ADA, put("user.editor", "emacs"))).toMatchObject({ kind: "known" });
  });

  it("is taken back with what it said kept, and forgotten with nothing left", async () => {
    await using kept = await tempStore();
    const { memory } = setUp(kept);
    const id = async () => (await memory.get([ADA], { key: "k" }))!.id;
    await memory.remember(ADA, put("k", "one"));
    const retracted = await id();
    expect(await memory.retract("agt_other", retracted)).toBeUndefined();
    expect(await memory.retract(ADA, retracted)).toMatchObject({ text: "one" });
    expect(await memory.get([ADA], { key: "k" })).toBeUndefined();
    expect(await memory.recall(ADA, { query: "one", limit: 5 })).toEqual([]);
    expect(await memory.history([ADA], retracted)).toMatchObject([{ text: "one", reason: "retracted" }]);
    await memory.remember(ADA, put("k", "two"));
    await memory.remember(ADA, put("k", "three"));
    const forgotten = await id();
    await memory.forget(ADA, forgotten);
    expect(await memory.history(null, forgotten)).toEqual([]);
  });

  it("is never given after it expired, in no way, and its key is free again", async () => {
    await using kept = await tempStore();
    const { memory, pass } = setUp(kept);
    await memory.remember(ADA, put("k", "for a while", { expiresAt: NOW + 1_000 }));
    const { id } = (await memory.get([ADA], { key: "k" }))!;
    pass(1_000);
    expect(await memory.get([ADA], { key: "k" })).toBeUndefined();
    expect(await memory.get([ADA], { id })).toBeUndefined();
    expect(await memory.recall(ADA, { query: "while", limit: 5 })).toEqual([]);
    expect(await memory.recall(ADA, { limit: 5 })).toEqual([]);
    expect(await memory.update(ADA, id, { text: "again" })).toBeUndefined();
    expect(await memory.remember(ADA, { text: "for a while", tags: [] })).toMatchObject({ kind: "kept" });
    expect(await memory.remember(ADA, put("k", "new"))).toMatchObject({ superseded: false });
  });

  it("is not there at all for who may not see its label, who may use the same key", async () => {
    await using kept = await tempStore();
    const { memory } = setUp(kept);
    await memory.remember(ADA, put("salary", "a lot of money", { label: "private" }));
    const { id } = (await memory.get([ADA], { key: "salary" }))!;
    expect(await memory.get([ADA], { key: "salary" }, NOBODY)).toBeUndefined();
    expect(await memory.get([ADA], { id }, NOBODY)).toBeUndefined();
    expect(await memory.find([ADA], { query: "money", limit: 5, access: NOBODY })).toEqual([]);
    expect(await memory.history([ADA], id, NOBODY)).toEqual([]);
    for (const done of [
      memory.update(ADA, id, { text: "x" }, { access: NOBODY }),
      memory.retract(ADA, id, { access: NOBODY }),
      memory.forget(ADA, id, { access: NOBODY }),
    ])
      expect(await done).toBeUndefined();
    const twin = { text: "a lot of money", tags: [] };
    expect(await memory.remember(ADA, twin, { access: NOBODY })).toMatchObject({ kind: "kept", similar: [] });
    expect(await memory.remember(ADA, put("salary", "none"), { access: NOBODY })).toMatchObject({
      superseded: false,
    });
    const seen = { labels: ["private"] };
    expect(await memory.get([ADA], { id }, seen)).toMatchObject({ text: "a lot of money" });
    expect(await memory.find([ADA], { query: "money", limit: 5, access: seen })).toHaveLength(2);
  });

  it("is found in several owners' together, and by key in the first that has it", async () => {
    await using kept = await tempStore();
    const { memory } = setUp(kept);
    await memory.remember(SHARED, put("release", "The release is on Friday."));
    await memory.remember(ADA, { text: "The release of Ada's own program is made whenever.", tags: [] });
    const found = await memory.find([ADA, SHARED], { query: "release Friday", limit: 5 });
    expect(found.map(({ memory: { agentId } }) => agentId)).toEqual([SHARED, ADA]);
    expect(found[0]!.score).toBeCloseTo(1);
    expect(await memory.get([ADA, SHARED], { key: "release" })).toMatchObject({ agentId: SHARED });
    await memory.remember(ADA, put("release", "Mine is daily."));
    expect(await memory.get([ADA, SHARED], { key: "release" })).toMatchObject({ agentId: ADA });
  });

  it("keeps no secret in metadata, and neither a key nor metadata that cannot be kept", async () => {
    await using kept = await tempStore();
    const { memory } = setUp(kept);
    const metadata = { deep: ["hunter2-hunter2"] };
    expect(await memory.remember(ADA, put("k", "x", { metadata }))).toMatchObject({
      memory: { metadata: { deep: ["[redacted]"] } },
    });
    const refused = { code: "BAD_REQUEST" };
    await expect(memory.remember(ADA, put("hunter2-hunter2", "x"))).rejects.toMatchObject(refused);
    const large = { a: "x".repeat(5_000) };
    await expect(memory.remember(ADA, put("k", "x", { metadata: large }))).rejects.toMatchObject(refused);
  });
});

describe("memory by meaning", () => {
  it("finds what no word of the query is in, and nothing that is about something else", async () => {
    await using kept = await tempStore();
    const { memory, meanings } = setUp(kept, new FakeEmbedder(["car vehicle automobile", "rain weather"]));
    await memory.remember(ADA, { text: "The automobile is red.", tags: [] });
    await memory.remember(ADA, { text: "It will rain.", tags: [] });
    const find = async () =>
      (await memory.find([ADA], { query: "vehicle", limit: 5 })).map(({ memory: { text } }) => text);
    // The first to ask finds by words; what it began is there for the next.
    await find();
    await meanings!.catchUp();
    expect(await find()).toEqual(["The automobile is red."]);
    const { id } = (await memory.find([ADA], { query: "vehicle", limit: 1 }))[0]!.memory;
    await memory.forget(ADA, id);
    expect(await find()).toEqual([]);
    await meanings!.close();
  });
});

describe.each([
  ["SQLite", sqliteStore, true],
  ["PostgreSQL", postgresStore, hasPostgres()],
] as const)("keys of two processes on %s", (_, fresh, isThere) => {
  it.runIf(isThere)("stand for one memory, whoever puts something there at the same moment", async () => {
    await using t = await fresh();
    const other = t.store.dialect === "postgres" ? await t.another() : t.store;
    const memories = [t.store, other].map(
      ({ database }) =>
        new Memory({
          store: memoryStore(database),
          redact: (text) => text,
          clock: () => NOW,
          newId: randomId,
        }),
    );
    await Promise.all(
      Array.from({ length: 10 }, (_unused, at) => memories[at % 2]!.remember(ADA, put("k", `value ${at}`))),
    );
    const [held, ...more] = await memoryStore(t.store.database).byKey(ADA, "k");
    expect(more).toEqual([]);
    expect(held!.revision).toBe(10);
    expect(await memoryStore(t.store.database).history(held!.id, NOW)).toHaveLength(9);
  });
});

describe("memories among documents", () => {
  const EVERYTHING = { labels: null };
  const found = async (memory: Memory, query: string) =>
    (
      await foundMemories(memory).findMemories({
        ...{ owners: [ADA], query: parseQuery(query), limit: 10, access: EVERYTHING },
      })
    ).map(({ key }) => key);

  it("are chosen by the filters, phrases and exclusions of a query", async () => {
    await using kept = await tempStore();
    const { memory, pass } = setUp(kept);
    await memory.remember(ADA, put("a", "tea in the morning", { tags: ["work/travel"] }));
    pass(400 * 86_400_000);
    await memory.remember(ADA, put("b", "morning tea, a draft", { type: "fact" }));
    expect((await found(memory, "tea")).sort()).toEqual(["a", "b"]);
    expect(await found(memory, "tea tag:work")).toEqual(["a"]);
    expect(await found(memory, "tea -tag:work")).toEqual(["b"]);
    expect(await found(memory, "tea -draft")).toEqual(["a"]);
    expect(await found(memory, "tea -dra*")).toEqual(["a"]);
    expect(await found(memory, '"morning tea"')).toEqual(["b"]);
    expect(await found(memory, 'tea -"morning tea"')).toEqual(["a"]);
    expect(await found(memory, "tea type:fact")).toEqual(["b"]);
    expect(await found(memory, "tea before:2027")).toEqual(["a"]);
    expect(await found(memory, "tea source:notes")).toEqual([]);
    expect(await found(memory, "morn*")).toHaveLength(2);
    expect(await found(memory, "tag:work")).toEqual(["a"]);
    expect(await found(memory, "-draft")).toEqual([]);
  });

  it("under another key that say almost the same are named", async () => {
    await using kept = await tempStore();
    const { memory } = setUp(kept);
    await memory.remember(ADA, put("release.day", "we release on the last friday of a month"));
    const other = await memory.remember(ADA, put("when", "we release on the last friday of the month"));
    expect(other).toMatchObject({ kind: "kept", similar: [{ key: "release.day" }] });
    const again = await memory.remember(ADA, put("when", "we release on the last friday of every month"));
    expect(again).toMatchObject({ superseded: true, similar: [{ key: "release.day" }] });
  });

  it("that bear a label change nothing for who may not see it, by words or by meaning", async () => {
    await using kept = await tempStore();
    const { memory, meanings } = setUp(kept, new FakeEmbedder(["tea coffee drink", "car road"]));
    await memory.remember(ADA, put("a", "coffee with milk"));
    await memory.remember(ADA, put("b", "coffee machine on the second floor, milk beside it"));
    await memory.remember(ADA, put("c", "the road to work"));
    const ask = () => memory.find([ADA], { query: "coffee milk drink", limit: 3, access: NOBODY });
    await ask();
    await meanings!.catchUp();
    const before = await ask();
    expect(before.length).toBeGreaterThan(1);
    for (let at = 0; at < 60; at++)
      await memory.remember(ADA, put(`hidden ${at}`, `tea drink coffee ${at}`, { label: "private" }));
    await ask();
    await meanings!.catchUp();
    expect(await ask()).toEqual(before);
  });
});
