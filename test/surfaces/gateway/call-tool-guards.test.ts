import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTables } from "../../support/call-tables.ts";
import { inDeep } from "../../support/length.ts";
import { bearer, modernHeaders, modernMessage } from "../../support/mcp-post.ts";
import { INITIALIZE, type TestGateway, testGateway } from "../../support/test-gateway.ts";
import { EVERYTHING } from "../../support/test-hub.ts";
import { waitUntil } from "../../support/wait-until.ts";

const SECRET = "hush-4711-never-to-be-seen";
const TELLING = {
  command: process.execPath,
  args: [join(import.meta.dirname, "../../support/servers/telling.mjs"), "modern"],
};

describe("a call that stands behind call_tool", () => {
  let test: TestGateway;
  beforeAll(async () => {
    test = await testGateway({
      agents: { ann: ["all"] },
      toolboxes: { secrets: ["set_secret"] },
    });
    await test.hub.identity.updateAgent("ann", { toolboxes: ["all", "secrets"] });
  });
  afterAll(() => test[Symbol.asyncDispose]());

  it.each([
    { name: "set_secret", arguments: { name: "KEY", value: SECRET }, extra: 1 },
    { tool: "set_secret", arguments: { name: "KEY", value: SECRET } },
    { name: "set_secrte", arguments: { name: "KEY", value: SECRET } },
    { name: "call-tool", arguments: { name: "set_secret", arguments: { name: "KEY", value: SECRET } } },
    { name: "set_secret", arguments: { nam: "KEY", value: SECRET } },
    { name: "set_secret", arguments: { name: "KEY", value: SECRET } },
  ])("leaves no secret of its arguments in the audit: %j", async (args) => {
    const outcome = await test.call("call_tool", args, "ann");
    expect(outcome.outcome).not.toBe("internal_error");
    await waitUntil("the call is in the store", async () => {
      const calls = await callTables(test.hub.store).calls.list({ limit: 500 });
      return calls.some(({ id }) => id === outcome.callId);
    });
    expect(JSON.stringify(await callTables(test.hub.store).calls.list({ limit: 500 }))).not.toContain(SECRET);
  });

  it("never is call_tool itself, however it is written", async () => {
    for (const name of ["call_tool", "call-tool", "Call.Tool"]) {
      const outcome = await test.call("call_tool", { name, arguments: { name: "think" } }, "ann");
      expect(outcome.outcome).toBe("invalid_arguments");
    }
  });
});

it("a rule that asks before call_tool asks before what stands behind it, and one that denies denies", async () => {
  await using test = await testGateway({
    agents: { ann: [] },
    rules: [{ permission: "call_tool", action: "ask" }],
  });
  const args = { name: "think", arguments: { thought: "x" } };
  expect((await test.call("call_tool", args, "ann")).outcome).toBe("needs_approval");
  expect((await test.call("think", args.arguments, "ann")).outcome).toBe("ok");
  await using strict = await testGateway({
    agents: { ann: [] },
    rules: [{ permission: "call_tool", action: "deny" }],
  });
  expect((await strict.call("call_tool", args, "ann")).outcome).toBe("denied");
});

it("what a server wants back with the answers goes to no other server", async () => {
  await using test = await testGateway({
    servers: { a: TELLING, b: TELLING },
    toolboxes: { x: ["mcp:a:*", "mcp:b:*"] },
    agents: { ann: ["x"] },
  });
  for (const name of ["a", "b"]) await test.hub.upstream.test(name);
  const token = await test.token("ann");
  const post = async (params: Record<string, unknown>) => {
    const message = modernMessage("tools/call", params);
    const response = await fetch(test.url, {
      method: "POST",
      headers: { ...bearer(token), ...modernHeaders(message) },
      body: JSON.stringify(message),
    });
    const text = await response.text();
    return JSON.parse(text.startsWith("{") ? text : text.split("data: ").at(-1)!);
  };
  const through = (name: string, args = {}) => ({ name: "call_tool", arguments: { name, arguments: args } });
  const asked = await post(through("mcp_a_ask", { state: "STATE-OF-A" }));
  const { requestState } = asked.result;
  expect(requestState).toEqual(expect.any(String));
  const inputResponses = { who: { action: "accept", content: { pw: "for A only" } } };
  const stolen = await post({ ...through("mcp_b_tell"), requestState, inputResponses });
  expect(stolen.result._meta["toolkeep/outcome"]).toBe("invalid_arguments");
  expect(JSON.stringify(stolen)).not.toMatch(/STATE-OF-A|for A only/);
});

it("a call that changes the list says so ahead of its own answer, where it takes a moment", async () => {
  await using test = await testGateway({
    servers: { everything: EVERYTHING },
    toolboxes: { everything: ["mcp:everything:*"] },
    agents: { ann: ["everything"] },
    settings: { deferred_loading: "auto" },
  });
  await test.hub.upstream.test("everything");
  const token = await test.token("ann");
  const began = await test.fetch({ token, body: INITIALIZE });
  await began.text();
  const headers = { "mcp-session-id": began.headers.get("mcp-session-id")! };
  const post = async (id: number, method: string, params = {}) =>
    (
      await test.fetch({ token, headers, body: JSON.stringify({ jsonrpc: "2.0", id, method, params }) })
    ).text();
  await post(2, "tools/list");
  const name = "mcp_everything_trigger_long_running_operation";
  const heard = await post(3, "tools/call", { name, arguments: { duration: 0.5, steps: 1 } });
  expect(heard.indexOf("list_changed")).toBeGreaterThan(-1);
  expect(heard.indexOf("list_changed")).toBeLessThan(heard.indexOf('"id":3'));
});

inDeep(
  "a client without a stream of its own hears of its changed list with its next answer, and is not taken for one that never looks",
  async () => {
    let now = Date.now();
    await using test = await testGateway({
      servers: { everything: EVERYTHING },
      toolboxes: { everything: ["mcp:everything:*"] },
      agents: { ann: ["everything"] },
      settings: { deferred_loading: "auto" },
      gateway: { clock: () => now },
    });
    await test.hub.upstream.test("everything");
    const token = await test.token("ann");
    const began = await test.fetch({ token, body: INITIALIZE });
    await began.text();
    const session = { "mcp-session-id": began.headers.get("mcp-session-id")! };
    let id = 10;
    const post = async (method: string, params = {}) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: id++, method, params });
      return (await test.fetch({ token, headers: session, body })).text();
    };
    await post("tools/list");
    let heard = await post("tools/call", { name: "mcp_everything_get_sum", arguments: { a: 1, b: 2 } });
    await waitUntil("it is told", async () => {
      const isTold = heard.includes("list_changed");
      heard = await post("ping");
      return isTold;
    });
    await post("tools/list");
    // What changes while it is away is no reason to think that it does not look.
    await test.hub.identity.updateAgent("ann", { grants: ["get_system_info"] });
    now += 5_000;
    const found = await post("tools/call", { name: "tool_search", arguments: { query: "tiny image" } });
    expect(found).toContain("by their names");
  },
);
