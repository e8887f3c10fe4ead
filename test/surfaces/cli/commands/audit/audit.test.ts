import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTables } from "../../../../support/call-tables.ts";
import { type TestApi, testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";

/** `ada` has called `think` three times and something that is not there once; somebody has made an agent. */
describe("toolkeep audit and /api/audit", () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await testApi({ agents: { ada: [], bob: [] } });
    const call = async (...args: Parameters<TestApi["call"]>) => {
      await api.call(...args);
      // Records are in the order of the milliseconds in which they began.
      const now = Date.now();
      while (Date.now() === now) await new Promise(setImmediate);
    };
    for (const thought of ["one", "two", "three"]) await call("think", { thought }, "ada");
    await call("no_such_tool", {}, "ada");
    await call("think", { thought: "four" }, "bob");
    await api.hub.audit.note("agent.created", "person:eve", "agt_9", { name: "zoe" });
    await api.hub.audit.flush();
  });
  afterAll(() => api[Symbol.asyncDispose]());

  const ids = async (query: string) => {
    const { status, body } = await api.request("GET", `/api/audit?${query}`);
    expect(status).toBe(200);
    return body.calls.map(
      (call: { tool: string | null; requested: string; agent: string }) => call.requested,
    );
  };

  it("finds calls by agent, tool, outcome, decision, conversation, name and time", async () => {
    expect(await ids("agent=ada&tool=think")).toHaveLength(3);
    expect(await ids("outcome=unknown_tool")).toEqual(["no_such_tool"]);
    expect(await ids("decision=allow&agent=bob")).toEqual(["think"]);
    expect(await ids("text=SUCH")).toEqual(["no_such_tool"]);
    expect(await ids("until=1")).toEqual([]);
    const { body } = await api.request("GET", "/api/audit?agent=ada&limit=1");
    expect(await ids(`conversation=${body.calls[0].conversation}&agent=ada`)).toHaveLength(4);
    expect((await api.request("GET", "/api/audit?agent=nobody")).status).toBe(404);
  });

  it("goes on from page to page, and refuses a cursor of somebody's invention", async () => {
    const first = (await api.request("GET", "/api/audit?limit=3&order=oldest")).body;
    const rest = (await api.request("GET", `/api/audit?limit=3&order=oldest&cursor=${first.next}`)).body;
    expect([...first.calls, ...rest.calls].map(({ requested }) => requested)).toEqual([
      ...["think", "think", "think", "no_such_tool", "think"],
    ]);
    expect(rest.next).toBeNull();
    for (const cursor of ["%00", "eyJhIjoxfQ", "bnVsbA"])
      expect((await api.request("GET", `/api/audit?cursor=${cursor}`)).status).toBe(400);
  });

  it("lists calls and actions as tables and as JSON", async () => {
    const { out } = await typed(api, ["audit", "list", "--agent", "ada", "--since", "1h"]);
    expect(out).toMatch(/ID +WHEN +AGENT +TOOL +DECISION +OUTCOME/);
    expect(out).toMatch(/ada +think +allow +ok/);
    expect(out).toMatch(/ada +no_such_tool +- +unknown_tool/);
    const actions = (await typed(api, ["audit", "list", "--actions", "--kind", "agent.*"])).out;
    expect(actions).toMatch(/agent.created +person:eve +agt_9 +\{"name":"zoe"\}/);
    const json = JSON.parse((await typed(api, ["audit", "list", "--limit", "2", "--json"])).out);
    expect(json.calls).toHaveLength(2);
    expect(json.next).toEqual(expect.any(String));
    expect(await typed(api, ["audit", "list", "--kind", "x"])).toMatchObject({ code: 2 });
    expect(await typed(api, ["audit", "list", "--since", "soon"])).toMatchObject({ code: 2 });
  });

  it("shows one call with its place in the chain", async () => {
    const [call] = (await api.request("GET", "/api/audit?limit=1&agent=ada&tool=think")).body.calls;
    const { out } = await typed(api, ["audit", "show", call.id]);
    expect(out).toMatch(/decision: +allow/);
    expect(out).toMatch(/record: +chn_\w+:\d+/);
    expect(await typed(api, ["audit", "show", "call_none"])).toMatchObject({ code: 3 });
  });

  it("exports what was asked for, a line each, into a new file, over the API as a stream", async () => {
    const file = join(api.home, "audit.jsonl");
    const { out } = await typed(api, ["audit", "export", "--agent", "ada", "--out", file]);
    expect(out).toContain("Wrote 4 records");
    const lines = (await readFile(file, "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ requested }) => requested)).toEqual(["think", "think", "think", "no_such_tool"]);
    expect(await typed(api, ["audit", "export", "--out", file])).toMatchObject({ code: 2 });
    const headers = { authorization: `Bearer the-token-of-this-process` };
    const stream = await api.app.inject({ url: "/api/audit/export?what=actions&kind=agent.*", headers });
    expect(stream.headers["content-type"]).toContain("application/x-ndjson");
    expect(JSON.parse(stream.payload)).toMatchObject({ kind: "agent.created", actor: "person:eve" });
  });

  it("the tail has what was recorded since, once", async () => {
    const first = (await api.request("GET", "/api/audit/tail?agent=bob")).body;
    expect(first.calls).toHaveLength(1);
    await api.call("think", { thought: "five" }, "bob");
    await api.call("think", { thought: "six" }, "ada");
    await api.hub.audit.flush();
    const second = (await api.request("GET", `/api/audit/tail?agent=bob&cursor=${first.cursor}`)).body;
    expect(second.calls).toMatchObject([{ arguments: '{"thought":"five"}' }]);
    const third = (await api.request("GET", `/api/audit/tail?agent=bob&cursor=${second.cursor}`)).body;
    expect(third.calls).toEqual([]);
  });

  it("verify says that all is well, and with exit code 1 what is not, until it is acknowledged", async () => {
    expect((await api.request("GET", "/api/audit/verify")).body).toEqual({ state: "none" });
    expect(await typed(api, ["audit", "verify"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("no problems."),
    });
    // A new key of the vault changes nothing about it.
    expect(await typed(api, ["secret", "rotate-key"])).toMatchObject({ code: 0 });
    expect(await typed(api, ["audit", "verify"])).toMatchObject({ code: 0 });
    const [call] = (await callTables(api.hub.store).calls.search({ limit: 1, outcome: "unknown_tool" }))
      .calls;
    await callTables(api.hub.store).calls.put([{ ...call!, outcome: "ok" }]);
    const { code, out } = await typed(api, ["audit", "verify"]);
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`altered +${call!.chain}:${call!.seq}`));
    const json = JSON.parse((await typed(api, ["audit", "verify", "--json"])).out);
    expect(json.result).toMatchObject({ found: 1, findings: [{ callId: call!.id }] });
    expect(await typed(api, ["audit", "verify", "--acknowledge", "a test"])).toMatchObject({ code: 0 });
    const [noted] = (await api.request("GET", "/api/audit/actions?kind=audit.acknowledged")).body.actions;
    expect(noted).toMatchObject({ details: { reason: "a test", kind: "altered" } });
  });
});
