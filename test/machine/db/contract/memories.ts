import { expect, test } from "vitest";
import type { MemoryRecord } from "../../../../src/features/knowledge/memory/contract.ts";
import { memoryStore, VERSIONS_OF_MEMORY } from "../../../../src/features/knowledge/memory/memory-store.ts";
import { accessTables } from "../../../support/access-tables.ts";
import { agent, NOW } from "../records.ts";
import type { FreshStore } from "../stores.ts";

export const memory = (id: string, change: Partial<MemoryRecord> = {}): MemoryRecord => ({
  id,
  agentId: "agt_ada",
  text: "prefers tabs",
  tags: ["style"],
  revision: 1,
  createdAt: NOW,
  updatedAt: NOW,
  lastUsedAt: null,
  key: null,
  type: "note",
  metadata: {},
  label: null,
  expiresAt: null,
  writtenBy: null,
  ...change,
});

const MANY = 5_000;

export function memoriesContract(fresh: FreshStore): void {
  test("memories are listed newest first, of one agent or of all, page by page", async () => {
    await using t = await fresh();
    const memories = memoryStore(t.store.database);
    for (const [at, id] of ["m1", "m2", "m3"].entries())
      await memories.create(
        memory(id, { createdAt: NOW + at, agentId: at === 1 ? "agt_b" : "agt_ada" }),
        MANY,
      );
    const ids = async (filter: Parameters<typeof memories.list>[0]) =>
      (await memories.list(filter)).map(({ id }) => id);
    expect(await ids({ limit: 10, offset: 0, at: NOW })).toEqual(["m3", "m2", "m1"]);
    expect(await ids({ limit: 1, offset: 1, at: NOW })).toEqual(["m2"]);
    expect(await ids({ limit: 10, offset: 0, at: NOW, agentId: "agt_ada" })).toEqual(["m3", "m1"]);
    expect([await memories.count({ at: NOW }), await memories.count({ agentId: "agt_b", at: NOW })]).toEqual([
      3, 1,
    ]);
  });

  test("a change raises the revision, a use does not", async () => {
    await using t = await fresh();
    const memories = memoryStore(t.store.database);
    await memories.create(memory("m1"), MANY);
    const changed = memory("m1", { text: "prefers spaces", revision: 2, updatedAt: NOW + 5 });
    expect(await memories.update("m1", { text: "prefers spaces" }, { at: NOW + 5, by: "ada" })).toEqual(
      changed,
    );
    await memories.touch(["m1", "absent"], NOW + 9);
    expect(await memories.get("m1")).toEqual({ ...changed, lastUsedAt: NOW + 9 });
    expect(await memories.revisions("agt_ada")).toEqual([{ id: "m1", revision: 2 }]);
    expect(await memories.revisions("agt_b")).toEqual([]);
  });

  test("only those of many ids that exist are read", async () => {
    await using t = await fresh();
    await memoryStore(t.store.database).create(memory("m1"), MANY);
    const ids = ["m1", ...Array.from({ length: 1_200 }, (_, at) => `absent${at}`)];
    expect(await memoryStore(t.store.database).among(ids)).toEqual([memory("m1")]);
    expect(await memoryStore(t.store.database).among([])).toEqual([]);
  });

  test("an agent never has more than the most, whatever is created at the same moment", async () => {
    await using t = await fresh();
    const other = t.store.dialect === "postgres" ? await t.another() : t.store;
    const created = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        memoryStore((at % 2 ? other : t.store).database).create(memory(`m${at}`), 3),
      ),
    );
    expect(created.filter(Boolean)).toHaveLength(3);
    expect(await memoryStore(t.store.database).count({ agentId: "agt_ada", at: NOW })).toBe(3);
    expect(await memoryStore(t.store.database).create(memory("m9", { agentId: "agt_b" }), 3)).toBe(true);
  });

  test("what is absent can be neither changed nor deleted", async () => {
    await using t = await fresh();
    const memories = memoryStore(t.store.database);
    const absent = { code: "NOT_FOUND" };
    await expect(memories.update("m1", {}, { at: NOW, by: null })).rejects.toMatchObject(absent);
    await expect(memories.retract("m1", { at: NOW, by: null })).rejects.toMatchObject(absent);
    await expect(memories.delete("m1")).rejects.toMatchObject(absent);
    expect(await memories.get("m1")).toBeUndefined();
  });

  test("the memories of an agent go with it", async () => {
    await using t = await fresh();
    await accessTables(t.store).agents.create(agent("ada"));
    await memoryStore(t.store.database).create(memory("m1"), MANY);
    await memoryStore(t.store.database).update("m1", { text: "prefers spaces" }, { at: NOW + 1, by: null });
    await memoryStore(t.store.database).create(memory("m2", { agentId: "operator" }), MANY);
    await accessTables(t.store).agents.delete("agt_ada");
    expect(
      (await memoryStore(t.store.database).list({ limit: 10, offset: 0, at: NOW })).map(({ id }) => id),
    ).toEqual(["m2"]);
    expect(await memoryStore(t.store.database).history("m1", NOW)).toEqual([]);
  });

  test("what a memory said before is kept, newest first and only so much of it", async () => {
    await using t = await fresh();
    const memories = memoryStore(t.store.database);
    await memories.create(memory("m1", { writtenBy: "ada" }), MANY);
    for (let at = 1; at <= VERSIONS_OF_MEMORY + 5; at++)
      await memories.update("m1", { text: `state ${at}`, writtenBy: "bob" }, { at: NOW + at, by: "bob" });
    const versions = await memories.history("m1", NOW);
    expect(versions).toHaveLength(VERSIONS_OF_MEMORY);
    expect(versions[0]).toEqual({
      ...contentOf(memory("m1", { text: `state ${VERSIONS_OF_MEMORY + 4}`, writtenBy: "bob" })),
      id: `m1:${VERSIONS_OF_MEMORY + 5}`,
      memoryId: "m1",
      agentId: "agt_ada",
      revision: VERSIONS_OF_MEMORY + 5,
      updatedAt: NOW + VERSIONS_OF_MEMORY + 4,
      endedAt: NOW + VERSIONS_OF_MEMORY + 5,
      reason: "superseded",
      endedBy: "bob",
    });
  });

  test("what is taken back is gone, with its history kept until it is deleted", async () => {
    await using t = await fresh();
    const memories = memoryStore(t.store.database);
    await memories.create(memory("m1", { key: "editor", label: "private" }), MANY);
    await memories.update("m1", { text: "prefers spaces" }, { at: NOW + 1, by: null });
    await memories.retract("m1", { at: NOW + 2, by: "ada" });
    expect(await memories.get("m1")).toBeUndefined();
    expect(await memories.byKey("agt_ada", "editor")).toEqual([]);
    expect((await memories.history("m1", NOW)).map(({ reason }) => reason)).toEqual([
      "retracted",
      "superseded",
    ]);
    const page = { limit: 10, offset: 0, at: NOW };
    expect((await memories.retracted(page)).map(({ text }) => text)).toEqual(["prefers spaces"]);
    expect(await memories.retracted({ ...page, labels: [] })).toEqual([]);
    expect(await memories.retracted({ ...page, labels: ["private"] })).toHaveLength(1);
    await memories.delete("m1");
    expect(await memories.history("m1", NOW)).toEqual([]);
  });

  test("of a key an owner has one memory of each label", async () => {
    await using t = await fresh();
    const memories = memoryStore(t.store.database);
    await memories.create(memory("m1", { key: "editor" }), MANY);
    const again = memories.create(memory("m2", { key: "editor" }), MANY);
    await expect(again).rejects.toMatchObject({ code: "NAME_TAKEN" });
    await memories.create(memory("m3", { key: "editor", label: "private" }), MANY);
    await memories.create(memory("m4", { key: "editor", agentId: "agt_b" }), MANY);
    await memories.create(memory("m5"), MANY);
    await memories.create(memory("m6"), MANY);
    expect((await memories.byKey("agt_ada", "editor")).map(({ id }) => id)).toEqual(["m1", "m3"]);
  });

  test("what has expired, or bears a label that is not asked for, is neither listed nor counted", async () => {
    await using t = await fresh();
    const memories = memoryStore(t.store.database);
    await memories.create(memory("m1", { expiresAt: NOW + 5 }), MANY);
    await memories.create(memory("m2", { label: "private" }), MANY);
    const seen = async (at: number, labels?: readonly string[]) => {
      const filter = { at, ...(labels && { labels }) };
      const listed = await memories.list({ limit: 10, offset: 0, ...filter });
      expect(await memories.count(filter)).toBe(listed.length);
      return listed.map(({ id }) => id).sort();
    };
    expect(await seen(NOW)).toEqual(["m1", "m2"]);
    expect(await seen(NOW + 5)).toEqual(["m2"]);
    expect(await seen(NOW, [])).toEqual(["m1"]);
    expect(await seen(NOW, ["private", "other"])).toEqual(["m1", "m2"]);
  });

  test("what has expired makes room, and goes with all that it and others said that has", async () => {
    await using t = await fresh();
    const memories = memoryStore(t.store.database);
    await memories.create(memory("m1", { expiresAt: NOW + 5 }), 1);
    await memories.update("m1", { text: "prefers spaces", expiresAt: NOW + 6 }, { at: NOW + 1, by: null });
    expect(await memories.create(memory("m2", { createdAt: NOW + 5 }), 1)).toBe(false);
    expect(await memories.create(memory("m2", { createdAt: NOW + 6, expiresAt: NOW + 7 }), 1)).toBe(true);
    await memories.update("m2", { expiresAt: null }, { at: NOW + 6, by: null });
    expect(await memories.history("m2", NOW + 6)).toHaveLength(1);
    expect(await memories.history("m2", NOW + 7)).toHaveLength(0);
    await memories.create(memory("m3", { expiresAt: NOW + 7 }), 5);
    expect(await memoryStore(t.store.database).prune(NOW + 8, 10)).toBe(1);
    expect([await memories.get("m2"), await memories.get("m3")]).toMatchObject([{ id: "m2" }, undefined]);
    expect(await memories.history("m2", NOW)).toEqual([]);
  });

  test("what makes room because it has expired leaves nothing of what it said before", async () => {
    await using t = await fresh();
    const memories = memoryStore(t.store.database);
    await memories.create(memory("m1"), 1);
    await memories.update("m1", { expiresAt: NOW + 5 }, { at: NOW + 1, by: null });
    expect(await memories.create(memory("m2", { createdAt: NOW + 5 }), 1)).toBe(true);
    expect(await memories.history("m1", NOW)).toEqual([]);
  });

  test("of each label an agent may have the most, so that none tells of another", async () => {
    await using t = await fresh();
    const memories = memoryStore(t.store.database);
    for (const [id, label] of [
      ["m1", null],
      ["m2", "private"],
      ["m3", "work"],
    ] as const)
      expect(await memories.create(memory(id, { label }), 1)).toBe(true);
    for (const label of [null, "private"])
      expect(await memories.create(memory("m4", { label }), 1)).toBe(false);
  });

  test("old history goes, and the memory stays", async () => {
    await using t = await fresh();
    const memories = memoryStore(t.store.database);
    await memories.create(memory("m1"), MANY);
    for (const at of [NOW + 1, NOW + 100])
      await memories.update("m1", { text: `at ${at}` }, { at, by: null });
    expect(await memoryStore(t.store.database).pruneVersions(NOW + 50, 10)).toBe(1);
    expect((await memories.history("m1", NOW)).map(({ revision }) => revision)).toEqual([2]);
    expect(await memories.get("m1")).toMatchObject({ revision: 3 });
  });
}

function contentOf({ key, type, text, tags, metadata, label, expiresAt, writtenBy }: MemoryRecord) {
  return { key, type, text, tags, metadata, label, expiresAt, writtenBy };
}
