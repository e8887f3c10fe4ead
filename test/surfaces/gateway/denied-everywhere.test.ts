import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textLines } from "../../../src/lib/lines.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { relayStdio } from "../../../src/surfaces/gateway/stdio/stdio-relay.ts";
import { type Era, INITIALIZE, type TestGateway, testGateway } from "../../support/test-gateway.ts";
import { EVERYTHING } from "../../support/test-hub.ts";

const HIDDEN = "mcp_everything_get_sum";
const PARTLY = "mcp_everything_echo";
const ADDED = { a: 20, b: 22 };
const SECRET = { message: "secret plans" };
const ERAS: readonly Era[] = ["legacy", "modern"];
const PLACES = ["", "/box", "/server/everything"];

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await testGateway({
    servers: { everything: EVERYTHING },
    toolboxes: { box: ["mcp:everything:*", "tool_search", "list_tools", "call_tool"] },
    agents: { main: ["box"] },
    rules: [
      { permission: "mcp:everything:get-sum", action: "deny" },
      { permission: PARTLY, pattern: { "arg.message": "secret*" }, action: "deny" },
    ],
  });
  await gateway.hub.upstream.test("everything");
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** Whatever came back, as text: a result of the tool would show. */
const said = async (answer: Promise<unknown>) => JSON.stringify(await answer.catch((error) => String(error)));

describe("a tool that is denied", () => {
  it.each(ERAS)("is in no list and no search, at whatever address, and another is: %s", async (era) => {
    for (const path of PLACES) {
      const client = await gateway.client("main", era, { path });
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      expect(names.filter((name) => /get.sum/.test(name))).toEqual([]);
      expect(names.some((name) => name.endsWith("echo"))).toBe(true);
    }
    const client = await gateway.client("main", era);
    for (const call of [
      { name: "tool_search", arguments: { query: "sum of two numbers" } },
      { name: "list_tools", arguments: {} },
    ])
      expect(await said(client.callTool(call))).not.toMatch(/get.sum/);
  });

  it.each(ERAS)("runs from no address, by no name and through no other tool: %s", async (era) => {
    for (const path of PLACES) {
      const client = await gateway.client("main", era, { path });
      for (const name of [HIDDEN, "get-sum", "get_sum"])
        expect(await said(client.callTool({ name, arguments: ADDED }))).not.toContain("is 42");
      const own = path === "/server/everything" ? "echo" : PARTLY;
      expect(await said(client.callTool({ name: own, arguments: SECRET }))).toContain("denied by a rule");
      expect(await said(client.callTool({ name: own, arguments: { message: "x" } }))).toContain("Echo: x");
    }
    const client = await gateway.client("main", era);
    const through = (name: string, args: object) =>
      said(client.callTool({ name: "call_tool", arguments: { name, arguments: args } }));
    expect(await through(HIDDEN, ADDED)).not.toContain("is 42");
    expect(await through(PARTLY, SECRET)).toContain("denied by a rule");
    expect(await through(PARTLY, { message: "x" })).toContain("Echo: x");
  });

  it("runs in no batch, by no RPC, not through the library and not for a person", async () => {
    const { hub, caller } = gateway;
    const calls = [
      { name: HIDDEN, arguments: ADDED },
      { name: PARTLY, arguments: SECRET },
      { name: PARTLY, arguments: { message: "x" } },
    ];
    const outcomes = await hub.callBatch(
      calls.map((call) => ({ ...call, caller: caller("main"), via: "library" as const })),
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["denied", "denied", "ok"]);
    for (const { name, arguments: args } of calls.slice(0, 2))
      for (const agent of ["main", undefined])
        expect((await gateway.call(name, args, agent)).outcome).toBe("denied");

    const token = await gateway.token("main");
    const rpc = async (method: string, params: object) => {
      const response = await fetch(gateway.url.replace(/mcp$/, "rpc"), {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      return response.text();
    };
    expect(await rpc("tools/list", {})).not.toMatch(/get.sum/);
    expect(await rpc("tools/call", calls[0]!)).not.toContain("is 42");
    expect(await rpc("tools/call", calls[1]!)).toContain("denied by a rule");
    expect(await rpc("tools/call", calls[2]!)).toContain("Echo: x");
  });

  it("runs in no JSON-RPC batch, neither at /rpc nor in a session of 2025-03-26", async () => {
    const token = await gateway.token("main");
    const batch = JSON.stringify(
      [
        { name: HIDDEN, arguments: ADDED },
        { name: PARTLY, arguments: SECRET },
        { name: "call_tool", arguments: { name: HIDDEN, arguments: ADDED } },
        { name: PARTLY, arguments: { message: "x" } },
      ].map((params, id) => ({ jsonrpc: "2.0", id, method: "tools/call", params })),
    );
    const opened = await gateway.fetch({ token, body: INITIALIZE.replace("2025-06-18", "2025-03-26") });
    await opened.text();
    const headers = { "mcp-session-id": opened.headers.get("mcp-session-id")!, accept: "application/json" };
    const answers = [
      await fetch(gateway.url.replace(/mcp$/, "rpc"), {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: batch,
      }),
      await gateway.fetch({ token, headers, body: batch }),
    ];
    for (const answer of answers) {
      const [hidden, partly, through, allowed] = ((await answer.json()) as object[]).map((each) =>
        JSON.stringify(each),
      );
      expect(hidden).not.toContain("is 42");
      expect(through).not.toContain("is 42");
      expect(partly).toContain("denied by a rule");
      expect(allowed).toContain("Echo: x");
    }
  });

  it("runs through no relay on stdio", async () => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const stop = new AbortController();
    const token = await gateway.token("main");
    const exit = relayStdio({ url: gateway.url, token, stdin, stdout, signal: stop.signal, log: silentLog });
    const lines = textLines(stdout)[Symbol.asyncIterator]();
    const ask = async (id: number, method: string, params: object) => {
      stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      for (;;) {
        const { value } = await lines.next();
        if (JSON.parse(value).id === id) return String(value);
      }
    };
    const clientInfo = { name: "raw", version: "1" };
    await ask(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    expect(await ask(2, "tools/list", {})).not.toMatch(/get.sum/);
    expect(await ask(3, "tools/call", { name: HIDDEN, arguments: ADDED })).not.toContain("is 42");
    expect(await ask(4, "tools/call", { name: PARTLY, arguments: SECRET })).toContain("denied by a rule");
    expect(await ask(5, "tools/call", { name: PARTLY, arguments: { message: "x" } })).toContain("Echo: x");
    stdin.end();
    await exit;
  });
});
