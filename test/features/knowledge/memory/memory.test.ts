import { describe, expect, it } from "vitest";
import { MAX_MEMORIES, Memory } from "../../../../src/features/knowledge/memory/memory.ts";
import type { MemoryStore } from "../../../../src/features/knowledge/memory/memory-store.ts";
import { memoryStore } from "../../../../src/features/knowledge/memory/memory-store.ts";
import { tagsOf } from "../../../../src/features/knowledge/memory/memory-text.ts";
import { randomId } from "../../../../src/lib/id.ts";
import { memory as record } from "../../../machine/db/contract/memories.ts";
import { NOW } from "../../../machine/db/records.ts";
import { postgresStore, sqliteStore } from "../../../machine/db/stores.ts";
import { hasPostgres } from "../../../support/postgres.ts";
import { tempStore } from "../../../support/temp-store.ts";

const ADA = "agt_ada";
const BOB = "agt_bob";
const SECRET = "hunter2-hunter2";

function memoryOver(store: MemoryStore, clock = () => NOW): Memory {
  return new Memory({
    store,
    redact: (text) => text.replaceAll(SECRET, "[redacted]"),
    clock,
    newId: randomId,
  });
}

async function keep(memory: Memory, owner: string, text: string, tags: readonly string[] = []) {
  const kept = await memory.remember(owner, { text, tags });
  if (kept.kind !== "kept") throw new Error(`expected it to be kept; it is ${kept.kind}`);
  return kept;
}

const texts = (found: readonly { text: string }[]) => found.map(({ text }) => text);

describe("memory", () => {
  it("tells of each change of a memory, and of nothing that changes none", async () => {
    await using temp = await tempStore();
    const told: string[] = [];
    const memory = new Memory({
      ...{
        store: memoryStore(temp.store.database),
        redact: (text) => text,
        clock: () => NOW,
        newId: randomId,
      },
      onChange: (id) => told.push(id),
    });
    const { id } = (await keep(memory, ADA, "We deploy on Mondays.")).memory;
    await memory.recall(ADA, { query: "deploy", limit: 5 });
    await memory.update(BOB, id, { text: "Not his." });
    await memory.retract(BOB, id);
    expect(told).toEqual([id]);
    await memory.update(ADA, id, { text: "We deploy on Tuesdays." });
    await memory.retract(ADA, id);
    await memory.erase(id);
    expect(told).toEqual([id, id, id, id]);
    const put = { text: "tea", tags: [], key: "drink" };
    await memory.remember(ADA, put);
    await memory.remember(ADA, put);
    await memory.remember(ADA, { ...put, text: "milk" });
    expect(told).toHaveLength(6);
  });

  it("finds by words in whatever form, best first, and only what its owner has", async () => {
    await using kept = await tempStore();
    const memory = memoryOver(memoryStore(kept.store.database));
    await keep(memory, ADA, "The staging database is restored on Mondays.");
    await keep(memory, ADA, "Ada prefers tabs.");
    await keep(memory, BOB, "Bob restores databases by hand.");
    const found = await memory.recall(ADA, { query: "restoring databases", limit: 5 });
    expect(texts(found)).toEqual(["The staging database is restored on Mondays."]);
    expect(await memory.recall(ADA, { query: "zebra", limit: 5 })).toEqual([]);
  });

  it("narrows by tags, all of which a memory must have, and without words gives the newest", async () => {
    await using kept = await tempStore();
    let now = NOW;
    const memory = memoryOver(memoryStore(kept.store.database), () => ++now);
    await keep(memory, ADA, "one", ["Style", " style "]);
    await keep(memory, ADA, "two", ["style", "go"]);
    await keep(memory, ADA, "three");
    expect(texts(await memory.recall(ADA, { tags: ["STYLE"], limit: 5 }))).toEqual(["two", "one"]);
    expect(texts(await memory.recall(ADA, { tags: ["style", "go"], limit: 5 }))).toEqual(["two"]);
    expect(texts(await memory.recall(ADA, { limit: 1 }))).toEqual(["three"]);
    expect(texts(await memory.recall(ADA, { query: "style", limit: 5 }))).toHaveLength(2);
  });

  it("keeps the same text once, and says what is similar", async () => {
    await using kept = await tempStore();
    const memory = memoryOver(memoryStore(kept.store.database));
    const first = await keep(memory, ADA, "The release is built on Fridays by Ada.");
    expect(
      await memory.remember(ADA, { text: " the release is  built on fridays by ada. ", tags: [] }),
    ).toEqual({
      kind: "known",
      memory: first.memory,
    });
    const next = await keep(memory, ADA, "The release is built on Fridays by Bob.");
    expect(next.similar).toEqual([first.memory]);
    expect((await keep(memory, BOB, "The release is built on Fridays by Ada.")).similar).toEqual([]);
  });

  it("takes out secrets, known ones and what looks like one, also from a change", async () => {
    await using kept = await tempStore();
    const memory = memoryOver(memoryStore(kept.store.database));
    const first = await keep(memory, ADA, `the door opens with ${SECRET}`);
    expect([first.redacted, first.memory.text]).toEqual([true, "the door opens with [redacted]"]);
    const token = `ghp_${"a1".repeat(18)}`;
    expect((await keep(memory, ADA, `push with ${token}`)).redacted).toBe(true);
    const changed = await memory.update(ADA, first.memory.id, { text: `now ${SECRET}` });
    expect(changed).toMatchObject({ kind: "kept", redacted: true, memory: { text: "now [redacted]" } });
    expect((await keep(memory, ADA, "  nothing to hide  ")).redacted).toBe(false);
    const { tables } = await kept.store.dump();
    for (const secret of [SECRET, token]) expect(JSON.stringify(tables.memories)).not.toContain(secret);
  });

  it("keeps hostile text once, as the store can have it", async () => {
    await using kept = await tempStore();
    const memory = memoryOver(memoryStore(kept.store.database));
    const text = "zero \0 half \ud800 <b>'; drop table memories; --";
    const { memory: made, redacted } = await keep(memory, ADA, text);
    expect(redacted).toBe(false);
    expect(await memoryStore(kept.store.database).get(made.id)).toEqual(made);
    expect(await memory.remember(ADA, { text, tags: [] })).toMatchObject({ kind: "known" });
  });

  it("changes and forgets only what its owner has", async () => {
    await using kept = await tempStore();
    const memory = memoryOver(memoryStore(kept.store.database));
    const { id } = (await keep(memory, ADA, "tabs", ["style"])).memory;
    expect(await memory.update(BOB, id, { text: "spaces" })).toBeUndefined();
    expect(await memory.forget(BOB, id)).toBeUndefined();
    expect(await memory.update(ADA, id, { text: "spaces" })).toMatchObject({ memory: { tags: ["style"] } });
    expect(texts(await memory.recall(ADA, { query: "spaces", limit: 5 }))).toEqual(["spaces"]);
    expect(await memory.recall(ADA, { query: "tabs", limit: 5 })).toEqual([]);
    expect(await memory.forget(ADA, id)).toMatchObject({ id });
    expect(await memory.recall(ADA, { limit: 5 })).toEqual([]);
    expect(await memory.forget(ADA, id)).toBeUndefined();
  });

  it("is full at some time, and has room again when something is forgotten", async () => {
    await using kept = await tempStore();
    const memory = memoryOver({
      ...memoryStore(kept.store.database),
      create: (made, most) => memoryStore(kept.store.database).create(made, most === MAX_MEMORIES ? 2 : most),
    });
    const { id } = (await keep(memory, ADA, "one apple")).memory;
    await keep(memory, ADA, "two pears");
    expect(await memory.remember(ADA, { text: "three plums", tags: [] })).toMatchObject({ kind: "full" });
    expect((await keep(memory, BOB, "three plums")).kind).toBe("kept");
    await memory.forget(ADA, id);
    expect((await keep(memory, ADA, "three plums")).kind).toBe("kept");
  });

  it("notes a use, once an hour at most", async () => {
    await using kept = await tempStore();
    let now = NOW;
    const memory = memoryOver(memoryStore(kept.store.database), () => now);
    const { id } = (await keep(memory, ADA, "tabs")).memory;
    const used = async () => (await memoryStore(kept.store.database).get(id))?.lastUsedAt;
    expect(await used()).toBeNull();
    await memory.recall(ADA, { query: "tabs", limit: 5 });
    expect(await used()).toBe(NOW);
    now += 60_000;
    await memory.recall(ADA, { query: "tabs", limit: 5 });
    expect(await used()).toBe(NOW);
    now += 3_600_000;
    await memory.recall(ADA, { query: "tabs", limit: 5 });
    expect(await used()).toBe(now);
  });

  it("answers though a use cannot be noted", async () => {
    await using kept = await tempStore();
    const touch = () => Promise.reject(new Error("read-only"));
    const memory = memoryOver({ ...memoryStore(kept.store.database), touch });
    await keep(memory, ADA, "tabs");
    expect(await memory.recall(ADA, { query: "tabs", limit: 5 })).toHaveLength(1);
  });

  it("is searched by people over several owners, without counting as used", async () => {
    await using kept = await tempStore();
    const memory = memoryOver(memoryStore(kept.store.database));
    await keep(memory, ADA, "The database of Ada is large and has many tables and rows in it.");
    const { id } = (await keep(memory, BOB, "database")).memory;
    const found = await memory.search([ADA, BOB], "database", 5);
    expect(found.map(({ agentId }) => agentId)).toEqual([BOB, ADA]);
    expect(await memory.search([ADA], "database", 5)).toHaveLength(1);
    expect((await memoryStore(kept.store.database).get(id))?.lastUsedAt).toBeNull();
  });

  it("keeps everything that many calls of one owner remember at the same moment, equal texts once", async () => {
    await using kept = await tempStore();
    const memory = memoryOver(memoryStore(kept.store.database));
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, at) => memory.remember(ADA, { text: `fact ${at % 10}`, tags: [] })),
    );
    expect(all.filter(({ kind }) => kind === "kept")).toHaveLength(10);
    expect(await memoryStore(kept.store.database).count({ agentId: ADA, at: NOW })).toBe(10);
  });

  it("drops owners that it has not heard of for long, and reads theirs again", async () => {
    await using kept = await tempStore();
    const memory = memoryOver(memoryStore(kept.store.database));
    await keep(memory, ADA, "tabs");
    for (let at = 0; at < 520; at++) await memory.recall(`agt_${at}`, { query: "tabs", limit: 1 });
    expect(await memory.recall(ADA, { query: "tabs", limit: 5 })).toHaveLength(1);
  });
});

describe.each([
  ["SQLite", sqliteStore, true],
  ["PostgreSQL", postgresStore, hasPostgres()],
] as const)("memory of two processes on %s", (_, fresh, isThere) => {
  it.runIf(isThere)("each sees at once what the other remembered, changed and forgot", async () => {
    await using t = await fresh();
    const mine = memoryOver(memoryStore(t.store.database));
    const theirs = memoryOver(memoryStore((await t.another()).database));
    const both = (query: string) =>
      Promise.all([mine, theirs].map(async (memory) => texts(await memory.recall(ADA, { query, limit: 5 }))));
    const { id } = (await keep(mine, ADA, "The door is green.")).memory;
    expect(await both("door")).toEqual([["The door is green."], ["The door is green."]]);
    await theirs.update(ADA, id, { text: "The gate is green." });
    expect(await both("door")).toEqual([[], []]);
    expect(await both("gate")).toEqual([["The gate is green."], ["The gate is green."]]);
    expect(await mine.remember(ADA, { text: "The gate is green.", tags: [] })).toMatchObject({
      kind: "known",
    });
    await mine.forget(ADA, id);
    expect(await both("gate")).toEqual([[], []]);
    await theirs.forget(ADA, id);
    await memoryStore(t.store.database).create(record("m1", { text: "by nobody's hand" }), 10);
    expect(await both("nobody")).toEqual([["by nobody's hand"], ["by nobody's hand"]]);
  });
});

it("tags are small, without spaces around, each once", () => {
  expect(tagsOf([" A ", "a", "", "B b"])).toEqual(["a", "b b"]);
});

it("everything else has its turn while the memories of an owner are read for the first time", async () => {
  await using kept = await tempStore();
  const text = Array.from({ length: 500 }, (_, at) => `word${at}`).join(" ");
  for (let at = 0; at < 300; at++)
    await memoryStore(kept.store.database).create(record(`m${at}`, { text }), MAX_MEMORIES);
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  try {
    expect(
      await memoryOver(memoryStore(kept.store.database)).recall(ADA, { query: "word7", limit: 5 }),
    ).toHaveLength(5);
  } finally {
    clearInterval(counting);
  }
  expect(turns).toBeGreaterThan(3);
});
