import { expect, test } from "vitest";
import { callTables } from "../../../support/call-tables.ts";
import { trustStores } from "../../../support/trust-stores.ts";
import { call, NOW } from "../records.ts";
import type { FreshStore } from "../stores.ts";

export function auditContract(fresh: FreshStore): void {
  test("an intent becomes the record of the same call, also within one batch", async () => {
    await using t = await fresh();
    const { calls } = callTables(t.store);
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

  test("a record that says less replaces one that says more", async () => {
    await using t = await fresh();
    const { calls } = callTables(t.store);
    const more = { error: "it broke", person: "ann", approvalId: "qst_1", approvedBy: "bob" };
    await calls.put([call("c1", more), call("c2", more), call("c3")]);
    await calls.put([call("c1"), call("c3", more)]);
    expect(await calls.get("c1")).toEqual(call("c1"));
    expect(await calls.get("c2")).toEqual(call("c2", more));
    expect(await calls.get("c3")).toEqual(call("c3", more));
  });

  test("calls are listed newest first, by agent and by tool, up to the limit", async () => {
    await using t = await fresh();
    const { calls } = callTables(t.store);
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

  test("how the newest calls of a tool went is told without what was in them", async () => {
    await using t = await fresh();
    const { calls } = callTables(t.store);
    await calls.put([
      call("c1", { startedAt: NOW, tool: "grep" }),
      call("c2", { startedAt: NOW + 1, tool: "grep", agentId: "agt_b", outcome: "failed", durationMs: 7 }),
      call("c3", { startedAt: NOW + 2, tool: "other" }),
      call("c4", { startedAt: NOW + 3, tool: "grep", outcome: null, durationMs: null }),
    ]);
    const { agentId } = call("c4");
    const [newest, before] = await calls.sample({ tool: "grep", since: NOW + 1, limit: 10 });
    expect(newest).toEqual({ agentId, outcome: null, durationMs: null, startedAt: NOW + 3 });
    expect(before).toEqual({ agentId: "agt_b", outcome: "failed", durationMs: 7, startedAt: NOW + 1 });
    expect(await calls.sample({ tool: "grep", since: NOW, limit: 10 })).toHaveLength(3);
    expect(await calls.sample({ tool: "grep", since: 0, limit: 1 })).toEqual([newest]);
  });

  test("calls are listed by conversation and time, page by page", async () => {
    await using t = await fresh();
    const { calls } = callTables(t.store);
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

  test("calls are searched by everything they are known by, page by page, whatever is written meanwhile", async () => {
    await using t = await fresh();
    const { calls } = callTables(t.store);
    await calls.put(
      Array.from({ length: 2_500 }, (_, index) =>
        call(`c${String(index).padStart(4, "0")}`, {
          startedAt: NOW + Math.floor(index / 3),
          agentId: index % 2 ? "agt_b" : "agt_a",
          outcome: index % 100 ? "ok" : "failed",
          decision: index % 500 === 1 ? "deny" : "allow",
          conversation: `k${index % 7}`,
          ...(index === 3 && { requested: "Delete_Repo", tool: "delete_repo" }),
        }),
      ),
    );
    const ids = async (search: Partial<Parameters<typeof calls.search>[0]>) =>
      (await calls.search({ limit: 1_000, ...search })).calls.map(({ id }) => Number(id.slice(1)));
    expect(await ids({ limit: 3 })).toEqual([2499, 2498, 2497]);
    expect(await ids({ limit: 3, order: "oldest" })).toEqual([0, 1, 2]);
    expect(await ids({ outcome: "failed" })).toEqual(Array.from({ length: 25 }, (_, i) => 2400 - i * 100));
    expect(await ids({ outcome: "ok", agentId: "agt_b", limit: 2 })).toEqual([2499, 2497]);
    expect(await ids({ decision: "deny" })).toEqual([2001, 1501, 1001, 501, 1]);
    expect(await ids({ decision: "allow", outcome: "failed", agentId: "agt_a", limit: 2 })).toEqual([
      2400, 2300,
    ]);
    expect(await ids({ conversation: "k3", tool: "read_file", limit: 2, order: "oldest" })).toEqual([10, 17]);
    expect(await ids({ text: "delete_" })).toEqual([3]);
    expect(await ids({ text: "READ", since: NOW + 1, until: NOW + 1 })).toEqual([5, 4]);
    expect(await ids({ tool: "nothing" })).toEqual([]);

    for (const order of ["newest", "oldest"] as const) {
      const seen: string[] = [];
      let after: Parameters<typeof calls.search>[0]["after"];
      for (let page = 0; page < 20; page++) {
        const { calls: some, next } = await calls.search({ limit: 137, agentId: "agt_a", order, after });
        seen.push(...some.map(({ id }) => id));
        await calls.put([call(`new ${order} ${page}`, { startedAt: NOW + 10_000 + page })]);
        if (!next) break;
        after = next;
      }
      expect(seen.filter((id) => id.startsWith("c"))).toHaveLength(1_250);
      expect(new Set(seen).size).toBe(seen.length);
    }
    expect(await calls.get("c0003")).toMatchObject({ requested: "Delete_Repo" });
    expect(await calls.get("nobody")).toBeUndefined();
  });

  test("a fraction of a millisecond is rounded", async () => {
    await using t = await fresh();
    await callTables(t.store).calls.put([call("c1", { durationMs: 1.6 })]);
    expect((await callTables(t.store).calls.list({ limit: 1 }))[0]?.durationMs).toBe(2);
  });

  test("a file is trusted by content: a new hash replaces the old", async () => {
    await using t = await fresh();
    const { trust } = trustStores(t.store);
    await trust.put("/p/toolkeep.json", "aaa", NOW);
    await trust.put("/p/toolkeep.json", "bbb", NOW + 1);
    expect(await trust.has("/p/toolkeep.json", "aaa")).toBe(false);
    expect(await trust.has("/p/toolkeep.json", "bbb")).toBe(true);
    expect(await trust.list()).toEqual([{ path: "/p/toolkeep.json", sha256: "bbb", at: NOW + 1 }]);
    await trust.delete("/p/toolkeep.json");
    await expect(trust.delete("/p/toolkeep.json")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
}
