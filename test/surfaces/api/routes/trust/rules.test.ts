import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTables } from "../../../../support/call-tables.ts";
import { type TestApi, testApi } from "../../../../support/test-api.ts";
import { trustStores } from "../../../../support/trust-stores.ts";
import { waitUntil } from "../../../../support/wait-until.ts";

let api: TestApi;

beforeAll(async () => {
  api = await testApi({ agents: { main: [], other: [] }, rules: [{ permission: "notify", action: "ask" }] });
});
afterAll(() => api[Symbol.asyncDispose]());

const check = async (draft: object) => (await api.request("POST", "/api/rules/check", draft)).body;

describe("POST /api/rules/check", () => {
  it("says what is wrong, field by field, and which tools a right one is about", async () => {
    expect(await check({ permission: "", action: "maybe" })).toMatchObject({
      ok: false,
      problems: [{ field: "permission" }, { field: "action", expected: expect.stringContaining("allow") }],
    });
    expect(await check({ permission: "think", action: "deny", pattern: { wrong: "x" } })).toMatchObject({
      ok: false,
      problems: [{ field: "pattern" }],
    });
    expect(await check({ permission: "think", action: "allow", final: true })).toMatchObject({
      problems: [{ field: "final", expected: "only with the action deny" }],
    });
    expect(await check({ permission: "*_file", action: "deny" })).toMatchObject({
      ok: true,
      text: "user: *_file → deny",
      some: expect.arrayContaining(["read_file", "write_file"]),
    });
    expect((await check({ permission: "no_such", action: "deny" })).tools).toBe(0);
    expect((await check({ permission: "think", action: "deny", agent: "nobody" })).problems[0].field).toBe(
      "agent",
    );
  });

  it("knows a stored rule that says the same", async () => {
    const rule = { permission: "glob", action: "deny", agent: "main" };
    const { body } = await api.request("POST", "/api/rules", rule);
    expect((await check(rule)).same.id).toBe(body.rule.id);
    expect((await check({ ...rule, agent: "other" })).same).toBeNull();
  });
});

describe("PUT /api/rules/:id", () => {
  it("makes a stored rule say something else, for the same agent, and tells who listens", async () => {
    let told = 0;
    const stop = api.hub.events.on("rules.changed", () => told++);
    const made = await api.request("POST", "/api/rules", {
      permission: "think",
      action: "deny",
      agent: "main",
    });
    const { id } = made.body.rule;
    expect((await api.call("think", { thought: "a" }, "main")).outcome).toBe("denied");
    const changed = await api.request("PUT", `/api/rules/${id}`, {
      permission: "think",
      action: "allow",
      note: "ok",
    });
    expect(changed.body.rule).toMatchObject({ id, agent: "main", action: "allow", note: "ok" });
    expect((await api.call("think", { thought: "a" }, "main")).outcome).toBe("ok");
    expect(told).toBe(2);
    stop();
    expect(
      (await api.request("PUT", "/api/rules/rul_none", { permission: "a", action: "deny" })).status,
    ).toBe(404);
    expect((await api.request("PUT", `/api/rules/${id}`, { permission: "", action: "deny" })).status).toBe(
      400,
    );
    await api.request("DELETE", `/api/rules/${id}`);
  });
});

describe("/api/labels", () => {
  it("shows what conversations have come in touch with, of one agent or all, and clears it", async () => {
    const agentId = api.hub.identity.agent("main").id;
    const record = { agentId, conversation: "c1", labels: ["untrusted_content"], labelledAt: Date.now() };
    await trustStores(api.hub.store).labels.put(record);
    await api.hub.reload();
    const { body } = await api.request("GET", "/api/labels?agent=main");
    expect(body.labelled).toEqual([
      expect.objectContaining({
        agent: "main",
        conversation: "c1",
        labels: ["untrusted_content"],
      }),
    ]);
    expect((await api.request("GET", "/api/labels?agent=other")).body.labelled).toEqual([]);
    const cleared = await api.request("DELETE", "/api/labels?agent=main&conversation=c1");
    expect(cleared.body).toEqual({ cleared: 1 });
    expect((await api.request("GET", "/api/labels")).body.labelled).toEqual([]);
  });
});

describe("POST /api/rules/simulate", () => {
  const simulate = async (input: object) => (await api.request("POST", "/api/rules/simulate", input)).body;

  it("shows what one rule more, or one less, would change, for one agent or all", async () => {
    for (const agent of ["main", "other"]) await api.call("think", { thought: "b" }, agent);
    await api.hub.audit.flush();
    await waitUntil(
      "both are recorded",
      async () => (await callTables(api.hub.store).calls.list({ limit: 10 })).length >= 2,
    );
    const add = [{ permission: "think", action: "deny" }];
    const all = await simulate({ add });
    const agents = all.differing.map(({ agent }: { agent: string }) => agent);
    expect(new Set(agents)).toEqual(new Set(["main", "other"]));
    const one = await simulate({ add: [{ ...add[0], agent: "main" }] });
    expect(one.differing.every(({ agent }: { agent: string }) => agent === "main")).toBe(true);
    expect(one.differing.length).toBeLessThan(all.differing.length);

    const { body } = await api.request("POST", "/api/rules", { ...add[0], agent: "other" });
    const less = await simulate({ without: body.rule.id });
    expect(less.differing).toEqual([
      expect.objectContaining({ agent: "other", before: "deny", after: "allow" }),
    ]);
    expect((await simulate({})).differing).toEqual([]);
    const [whole, cut] = [await simulate({ add, limit: 10_000 }), await simulate({ add, limit: 1 })];
    expect(whole).toMatchObject({ more: false, different: whole.differing.length });
    expect(cut).toMatchObject({ looked: 1, more: true });
    expect((await api.request("POST", "/api/rules/simulate", { without: "rul_none" })).status).toBe(404);
    await api.request("DELETE", `/api/rules/${body.rule.id}`);
  });
});
