import { afterAll, describe, expect, it } from "vitest";
import { parseAddress } from "../../../../src/surfaces/gateway/http/admission.ts";
import { callTables } from "../../../support/call-tables.ts";
import { ERAS, type Era, testGateway } from "../../../support/test-gateway.ts";
import { EVERYTHING } from "../../../support/test-hub.ts";
import { waitUntil } from "../../../support/wait-until.ts";

/** Ends as it begins, so that nothing is ever learned of it. */
const BROKEN = { command: process.execPath, args: ["-e", ""] };

const gateway = await testGateway({
  servers: { everything: EVERYTHING, spare: EVERYTHING, resting: BROKEN },
  toolboxes: {
    talk: ["mcp_everything_echo"],
    sums: ["mcp_everything_get_sum", "no_such_tool"],
    foreign: ["mcp_spare_echo"],
    later: ["mcp:resting:*"],
  },
  agents: { worker: ["talk", "sums"], waiting: ["later"] },
});
for (const name of ["everything", "spare"]) await gateway.hub.upstream.test(name);
afterAll(() => gateway[Symbol.asyncDispose]());

const names = async (era: Era, path: string) => {
  const client = await gateway.client("worker", era, { path });
  return (await client.listTools()).tools.map((tool) => tool.name);
};

describe.each(Object.keys(ERAS) as Era[])("a client of the %s era", (era) => {
  it("sees at /mcp/<toolbox> what is in that toolbox, without the floor", async () => {
    expect(await names(era, "/talk")).toEqual(["mcp_everything_echo"]);
    expect(await names(era, "/sums")).toEqual(["mcp_everything_get_sum"]);
  });

  it("cannot call at /mcp/<toolbox> what its other toolboxes give", async () => {
    const client = await gateway.client("worker", era, { path: "/talk" });
    const granted = await client.callTool({ name: "mcp_everything_echo", arguments: { message: "a" } });
    expect(granted.isError).toBeFalsy();
    const outside = await client.callTool({ name: "mcp_everything_get_sum", arguments: { a: 1, b: 2 } });
    expect(outside).toMatchObject({ isError: true, _meta: { "toolkeep/outcome": "not_granted" } });
  });

  it("sees at /mcp/server/<name> the server's granted tools by their own names", async () => {
    expect(await names(era, "/server/everything")).toEqual(["echo", "get-sum"]);
    const client = await gateway.client("worker", era, { path: "/server/everything" });
    const result = await client.callTool({ name: "get-sum", arguments: { a: 1, b: 2 } });
    expect(JSON.stringify(result.content)).toContain("3");
    const outside = await client.callTool({ name: "get-env", arguments: {} });
    expect(outside).toMatchObject({ isError: true, _meta: { "toolkeep/outcome": "not_granted" } });
  });

  it("is recorded at every address under the tool's full name", async () => {
    const client = await gateway.client("worker", era, { path: "/server/everything" });
    await client.callTool({ name: "echo", arguments: { message: `from ${era}` } });
    const agentId = gateway.hub.identity.agent("worker").id;
    await waitUntil("the call is recorded", async () => {
      const calls = await callTables(gateway.hub.store).calls.list({
        limit: 20,
        agentId,
        tool: "mcp_everything_echo",
      });
      return calls.some((call) => call.arguments === JSON.stringify({ message: `from ${era}` }));
    });
  });
});

describe("an address", () => {
  it.each(["/nothing", "/foreign", "/server/spare", "/server/nothing", "/server/", "/talk/more"])(
    "that is nothing to the agent is not found, whether it exists or not: %s",
    async (path) => {
      const response = await fetch(`${gateway.url}${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${await gateway.token("worker")}`,
          "content-type": "application/json",
        },
        body: "{}",
      });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { data: { code: "NOT_FOUND" } } });
    },
  );

  it("of a server whose tools are not known yet is there for whoever is granted them", async () => {
    const client = await gateway.client("waiting", "legacy", { path: "/server/resting" });
    expect((await client.listTools()).tools).toEqual([]);
  });

  it.each([
    ["/mcp", {}],
    ["/mcp/", {}],
    ["/mcp/research", { narrowing: { toolbox: "research" } }],
    ["/mcp/server/git-hub", { narrowing: { server: "git-hub" } }],
    ["/mcp/a%20b", { narrowing: { toolbox: "a b" } }],
    ["/mcp/server/%40scope%2Fpkg", { narrowing: { server: "@scope/pkg" } }],
    ["/mcp/a/b", undefined],
    ["/mcp/%zz", undefined],
  ])("%s is read as %j", (path, address) => {
    expect(parseAddress(path)).toEqual(address);
  });
});
