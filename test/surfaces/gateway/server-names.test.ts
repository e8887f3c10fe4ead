import { afterAll, beforeAll, expect, it } from "vitest";
import { sampleOf } from "../../support/length.ts";
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
const SOME = sampleOf(Object.entries(NAMES), 2);
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await testGateway({
    servers: Object.fromEntries(SOME.map(([name]) => [name, EVERYTHING])),
    toolboxes: { talk: SOME.map(([name]) => `mcp:${name}:echo`) },
    agents: { worker: ["talk"] },
    settings: { mcp: { deferred_loading: false } },
  });
  for (const [name] of SOME) await gateway.hub.upstream.test(name);
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

it.each(SOME)("%s is granted, called, addressed and ruled by its name", async (name, prefix) => {
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
});
