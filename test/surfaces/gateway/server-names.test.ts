import { afterAll, beforeAll, expect, it } from "vitest";
import { type TestGateway, testGateway } from "../../support/test-gateway.ts";
import { EVERYTHING } from "../../support/test-hub.ts";

/** What people call their servers, and the prefix that the tools get. */
const NAMES = {
  "GitHub (work)": "github_work",
  Föö: "foo",
  "@scope/pkg": "scope_pkg",
  天気: "server_bc79d8",
  "C++ & co.": "c_co",
};
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await testGateway({
    servers: Object.fromEntries(Object.keys(NAMES).map((name) => [name, EVERYTHING])),
    toolboxes: { talk: Object.keys(NAMES).map((name) => `mcp:${name}:echo`) },
    agents: { worker: ["talk"] },
    settings: { mcp: { deferred_loading: false } },
  });
  for (const name of Object.keys(NAMES)) await gateway.hub.upstream.test(name);
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

it.each(Object.entries(NAMES))(
  "%s is granted, called, addressed and ruled by its name",
  async (name, prefix) => {
    const tool = `mcp_${prefix}_echo`;
    const client = await gateway.client("worker", "modern");
    expect((await client.listTools()).tools.map((one) => one.name)).toContain(tool);
    const call = { name: tool, arguments: { message: "hello" } };
    expect((await client.callTool(call)).isError ?? false).toBe(false);
    const path = `/server/${encodeURIComponent(name)}`;
    const own = await gateway.client("worker", "legacy", { path });
    expect((await own.listTools()).tools.map((one) => one.name)).toEqual(["echo"]);
    await gateway.hub.ruleBook.add({
      permission: `mcp:${name}:echo`,
      action: "deny",
      createdBy: "ann",
    } as never);
    const denied = await client.callTool(call);
    expect(denied).toMatchObject({ isError: true, _meta: { "toolkeep/outcome": "denied" } });
  },
);
