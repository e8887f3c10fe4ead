import { describe, expect, test } from "vitest";
import type { CallRecord } from "../../../src/call/audit/contract.ts";
import { callTables } from "../../support/call-tables.ts";
import { type TestHub, testHub } from "../../support/test-hub.ts";
import { waitUntil } from "../../support/wait-until.ts";

const NOON = Date.parse("2026-03-01T12:00:00Z");

/** `ada` and `bob` have the toolbox `research`; both have called something. */
async function remembering(calls: readonly Partial<CallRecord>[] = []): Promise<TestHub> {
  const it = await testHub({ agents: { ada: ["research"], bob: ["research"], plain: [] } });
  const { id: agentId } = it.hub.identity.agent("ada");
  await callTables(it.hub.store).calls.put(
    calls.map((call, index) => ({
      id: `call_${index}`,
      agentId,
      tokenId: null,
      conversation: "old",
      via: "mcp",
      requested: "read_file",
      tool: "read_file",
      arguments: "{}",
      decision: "allow",
      rule: null,
      outcome: "ok",
      error: null,
      startedAt: NOON + index,
      durationMs: 1,
      person: null,
      labels: null,
      approvalId: null,
      approvedBy: null,
      steps: null,
      chain: null,
      seq: null,
      mac: null,
      ...call,
    })),
  );
  return it;
}

async function found(it: TestHub, args: object, agent = "ada"): Promise<readonly string[]> {
  const { outcome, error, structured } = await it.call("search_history", args, agent);
  if (outcome !== "ok") throw new Error(error?.message);
  const calls = structured?.calls as { id: string }[];
  return calls.map(({ id }) => id);
}

describe("search_history", () => {
  test("finds what the agent called, and never what another one did", async () => {
    await using it = await remembering();
    await it.call("think", { thought: "the plan of Ada" }, "ada");
    await it.call("think", { thought: "the plan of Bob" }, "bob");
    await it.call("read_file", { path: "absent.txt" }, "ada");
    await waitUntil("all calls are recorded", async () => {
      return (await callTables(it.hub.store).calls.list({ limit: 10 })).length === 3;
    });
    const result = await it.call("search_history", { query: "plan" }, "ada");
    expect(result.structured).toMatchObject({
      calls: [{ tool: "think", outcome: "ok", conversation: "test" }],
    });
    expect(result.text).toContain("the plan of Ada");
    expect(JSON.stringify(await it.call("search_history", {}, "ada"))).not.toContain("Bob");
    expect((await it.call("search_history", { query: "absent" }, "ada")).text).toContain("→ failed: ");
    expect((await it.call("search_history", {}, "plain")).outcome).toBe("not_granted");
  });

  test("filters by words, tool, conversation and time, newest first", async () => {
    await using it = await remembering([
      { arguments: '{"path":"Über.txt"}' },
      { tool: "grep", requested: "grep", arguments: '{"pattern":"x"}' },
      { conversation: "test", error: "it was gone" },
    ]);
    expect(await found(it, {})).toEqual(["call_2", "call_1", "call_0"]);
    expect(await found(it, { query: "über READ_file" })).toEqual(["call_0"]);
    expect(await found(it, { query: "gone" })).toEqual(["call_2"]);
    expect(await found(it, { query: "über gone" })).toEqual([]);
    expect(await found(it, { tool: "grep" })).toEqual(["call_1"]);
    expect(await found(it, { conversation: "old" })).toEqual(["call_1", "call_0"]);
    expect(await found(it, { conversation: "current" })).toEqual(["call_2"]);
    expect(await found(it, { since: "2026-03-01T12:00:00.002Z" })).toEqual(["call_2"]);
    expect(await found(it, { until: "2026-03-01T12:00:00Z" })).toEqual(["call_0"]);
    expect(await found(it, { since: "2026-03-02" })).toEqual([]);
    expect((await it.call("search_history", { since: "yesterday" }, "ada")).error?.message).toContain(
      "Expected since and until as dates",
    );
  });

  test("does not find itself unless it is asked for", async () => {
    await using it = await remembering([
      { tool: "search_history", requested: "search_history", arguments: '{"query":"needle"}' },
    ]);
    expect(await found(it, { query: "needle" })).toEqual([]);
    expect(await found(it, { query: "needle", tool: "search_history" })).toEqual(["call_0"]);
  });

  test("reads on across the pages of the store, and cuts long arguments", async () => {
    await using it = await remembering(
      Array.from({ length: 2_500 }, (_, index) => ({
        arguments: index % 1_000 === 0 ? `{"path":"needle ${"y".repeat(4_000)}"}` : "{}",
      })),
    );
    const first = await it.call("search_history", { query: "needle", limit: 2 }, "ada");
    expect(first.structured).toMatchObject({
      calls: [{ id: "call_2000" }, { id: "call_1000" }],
      next_offset: 2,
    });
    expect(first.text.length).toBeLessThan(1_500);
    expect(await found(it, { query: "needle", offset: 2 })).toEqual(["call_0"]);
  });

  test("shows no secret that has become one since the call", async () => {
    await using it = await remembering([{ arguments: '{"key":"canary-55aa01"}' }]);
    await it.hub.vault.put("KEY", "canary-55aa01");
    expect(JSON.stringify(await it.call("search_history", {}, "ada"))).not.toContain("canary-55aa01");
  });
});
