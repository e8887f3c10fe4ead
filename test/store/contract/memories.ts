import { expect, test } from "vitest";
import type { MemoryRecord } from "../../../src/store/memory-record.ts";
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
  ...change,
});

const MANY = 5_000;

export function memoriesContract(fresh: FreshStore): void {
  test("memories are listed newest first, of one agent or of all, page by page", async () => {
    await using t = await fresh();
    const { memories } = t.store;
    for (const [at, id] of ["m1", "m2", "m3"].entries())
      await memories.create(
        memory(id, { createdAt: NOW + at, agentId: at === 1 ? "agt_b" : "agt_ada" }),
        MANY,
      );
    const ids = async (filter: Parameters<typeof memories.list>[0]) =>
      (await memories.list(filter)).map(({ id }) => id);
    expect(await ids({ limit: 10, offset: 0 })).toEqual(["m3", "m2", "m1"]);
    expect(await ids({ limit: 1, offset: 1 })).toEqual(["m2"]);
    expect(await ids({ limit: 10, offset: 0, agentId: "agt_ada" })).toEqual(["m3", "m1"]);
    expect([await memories.count(), await memories.count("agt_b")]).toEqual([3, 1]);
  });

  test("a change raises the revision, a use does not", async () => {
    await using t = await fresh();
    const { memories } = t.store;
    await memories.create(memory("m1"), MANY);
    const changed = memory("m1", { text: "prefers spaces", revision: 2, updatedAt: NOW + 5 });
    expect(await memories.update("m1", { text: "prefers spaces", updatedAt: NOW + 5 })).toEqual(changed);
    await memories.touch(["m1", "absent"], NOW + 9);
    expect(await memories.get("m1")).toEqual({ ...changed, lastUsedAt: NOW + 9 });
    expect(await memories.revisions("agt_ada")).toEqual([{ id: "m1", revision: 2 }]);
    expect(await memories.revisions("agt_b")).toEqual([]);
  });

  test("only those of many ids that exist are read", async () => {
    await using t = await fresh();
    await t.store.memories.create(memory("m1"), MANY);
    const ids = ["m1", ...Array.from({ length: 1_200 }, (_, at) => `absent${at}`)];
    expect(await t.store.memories.among(ids)).toEqual([memory("m1")]);
    expect(await t.store.memories.among([])).toEqual([]);
  });

  test("an agent never has more than the most, whatever is created at the same moment", async () => {
    await using t = await fresh();
    const other = t.store.dialect === "postgres" ? await t.another() : t.store;
    const created = await Promise.all(
      Array.from({ length: 8 }, (_, at) => (at % 2 ? other : t.store).memories.create(memory(`m${at}`), 3)),
    );
    expect(created.filter(Boolean)).toHaveLength(3);
    expect(await t.store.memories.count("agt_ada")).toBe(3);
    expect(await t.store.memories.create(memory("m9", { agentId: "agt_b" }), 3)).toBe(true);
  });

  test("what is absent can be neither changed nor deleted", async () => {
    await using t = await fresh();
    const { memories } = t.store;
    const absent = { code: "NOT_FOUND" };
    await expect(memories.update("m1", { updatedAt: NOW })).rejects.toMatchObject(absent);
    await expect(memories.delete("m1")).rejects.toMatchObject(absent);
    expect(await memories.get("m1")).toBeUndefined();
  });

  test("the memories of an agent go with it", async () => {
    await using t = await fresh();
    await t.store.agents.create(agent("ada"));
    await t.store.memories.create(memory("m1"), MANY);
    await t.store.memories.create(memory("m2", { agentId: "operator" }), MANY);
    await t.store.agents.delete("agt_ada");
    expect((await t.store.memories.list({ limit: 10, offset: 0 })).map(({ id }) => id)).toEqual(["m2"]);
  });
}
