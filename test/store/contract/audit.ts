import { expect, test } from "vitest";
import { call, NOW } from "../records.ts";
import type { FreshStore } from "../stores.ts";

export function auditContract(fresh: FreshStore): void {
  test("an intent becomes the record of the same call, also within one batch", async () => {
    await using t = await fresh();
    const { calls } = t.store;
    const intent = call("c1", { outcome: null, durationMs: null });
    await calls.put([intent]);
    expect(await calls.list({ limit: 10 })).toEqual([intent]);
    await calls.put([
      call("c1"),
      call("c2", { outcome: null, startedAt: NOW + 1 }),
      call("c2", { startedAt: NOW + 1 }),
    ]);
    expect(await calls.list({ limit: 10 })).toEqual([call("c2", { startedAt: NOW + 1 }), call("c1")]);
    await calls.put([]);
  });

  test("calls are listed newest first, by agent and by tool, up to the limit", async () => {
    await using t = await fresh();
    const { calls } = t.store;
    await calls.put(
      Array.from({ length: 1200 }, (_, index) =>
        call(`c${index}`, {
          startedAt: NOW + index,
          agentId: index % 2 ? "agt_b" : "agt_a",
          tool: index % 3 ? "grep" : null,
        }),
      ),
    );
    const ids = async (filter: Parameters<typeof calls.list>[0]) =>
      (await calls.list(filter)).map((each) => each.id);
    expect(await ids({ limit: 2 })).toEqual(["c1199", "c1198"]);
    expect(await ids({ limit: 2, agentId: "agt_a" })).toEqual(["c1198", "c1196"]);
    expect(await ids({ limit: 3, agentId: "agt_a", tool: "grep" })).toEqual(["c1198", "c1196", "c1192"]);
    expect(await ids({ limit: 0 })).toEqual([]);
    expect(await ids({ limit: 1e9 })).toHaveLength(1000);
  });

  test("calls are listed by conversation and time, page by page", async () => {
    await using t = await fresh();
    const { calls } = t.store;
    await calls.put(
      Array.from({ length: 10 }, (_, index) =>
        call(`c${index}`, { startedAt: NOW + index, conversation: index % 2 ? "odd" : "even" }),
      ),
    );
    const ids = async (filter: Partial<Parameters<typeof calls.list>[0]>) =>
      (await calls.list({ limit: 10, ...filter })).map((each) => each.id);
    expect(await ids({ conversation: "odd", limit: 2 })).toEqual(["c9", "c7"]);
    expect(await ids({ conversation: "odd", limit: 2, offset: 2 })).toEqual(["c5", "c3"]);
    expect(await ids({ since: NOW + 3, until: NOW + 5 })).toEqual(["c5", "c4", "c3"]);
    expect(await ids({ since: NOW + 10 })).toEqual([]);
    expect(await ids({ offset: 100 })).toEqual([]);
  });

  test("a fraction of a millisecond is rounded", async () => {
    await using t = await fresh();
    await t.store.calls.put([call("c1", { durationMs: 1.6 })]);
    expect((await t.store.calls.list({ limit: 1 }))[0]?.durationMs).toBe(2);
  });

  test("a file is trusted by content: a new hash replaces the old", async () => {
    await using t = await fresh();
    const { trust } = t.store;
    await trust.put("/p/toolkeep.json", "aaa", NOW);
    await trust.put("/p/toolkeep.json", "bbb", NOW + 1);
    expect(await trust.has("/p/toolkeep.json", "aaa")).toBe(false);
    expect(await trust.has("/p/toolkeep.json", "bbb")).toBe(true);
    expect(await trust.list()).toEqual([{ path: "/p/toolkeep.json", sha256: "bbb", at: NOW + 1 }]);
    await trust.delete("/p/toolkeep.json");
    await expect(trust.delete("/p/toolkeep.json")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
}
