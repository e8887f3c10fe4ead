import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTables } from "../../support/call-tables.ts";
import { type Era, type TestGateway, testClient, testGateway } from "../../support/test-gateway.ts";
import { EVERYTHING } from "../../support/test-hub.ts";
import { fixture } from "../../support/upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";

const SUM = "mcp_everything_get_sum";

let test: TestGateway;
beforeAll(async () => {
  test = await testGateway({
    servers: { everything: EVERYTHING },
    toolboxes: { everything: ["mcp:everything:*"] },
    agents: { ann: ["everything"], mum: ["everything"], few: [] },
    settings: { deferred_loading: "auto" },
  });
  await test.hub.upstream.test("everything");
});
afterAll(() => test[Symbol.asyncDispose]());

async function listed(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

async function search(client: Client, query: string) {
  const result = await client.callTool({ name: "tool_search", arguments: { query } });
  return {
    ids: (result.structuredContent as { matches: { id: string }[] }).matches.map(({ id }) => id),
    text: (result.content as { text: string }[])[0]!.text,
  };
}

async function connect(token: string, era: Era, onToolsChanged?: () => void): Promise<Client> {
  const client = testClient(era, onToolsChanged);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(test.url), { requestInit }));
  return client;
}

async function sum(client: Client, name = SUM) {
  const result = await client.callTool({ name, arguments: { a: 2, b: 3 } });
  return (result.content as { text: string }[])[0]!.text;
}

describe.each(["legacy", "modern"] as const)(
  "a client of the %s era with more tools than the threshold",
  (era) => {
    it("sees the core, is told of the rest, finds a tool and has it in its list on the next turn", async () => {
      const token = await test.token("ann");
      const client = await connect(token, era);
      const before = await listed(client);
      expect(before).toContain("tool_search");
      expect(before).toContain("call_tool");
      expect(before.filter((name) => name.startsWith("mcp_"))).toEqual([]);
      expect(client.getInstructions()).toContain(SUM);
      expect(client.getInstructions()).toContain("tool_search");

      const { ids, text } = await search(client, "add two numbers");
      expect(ids[0]).toBe(SUM);
      expect(text).toMatch(/^<functions>/);
      const after = await listed(client);
      expect(after).toContain(SUM);
      expect(after).toEqual(after.toSorted());
      expect(await sum(client)).toContain("5");
      await client.close();

      // The same after a reconnect.
      const again = await connect(token, era);
      expect(await listed(again)).toContain(SUM);
      expect(await sum(again)).toContain("5");
      await again.close();
    });

    it("calls what it found through call_tool without looking at its list again", async () => {
      const client = await test.client("ann", era);
      await search(client, "add two numbers");
      const called = await client.callTool({
        name: "call_tool",
        arguments: { name: SUM, arguments: { a: 2, b: 3 } },
      });
      expect(called).toMatchObject({ _meta: { "toolkeep/outcome": "ok" } });
      expect(JSON.stringify(called.content)).toContain("5");
    });

    it("activates a tool by calling it by its name", async () => {
      const client = await test.client("ann", era);
      expect(await sum(client)).toContain("5");
      await waitUntil("the tool is in the list", async () => (await listed(client)).includes(SUM));
    });

    it("is told when its list has become another", async () => {
      let told = 0;
      const client = await connect(await test.token("ann"), era, () => told++);
      await listed(client);
      await search(client, "add two numbers");
      await waitUntil("it was told", () => told > 0);
    });

    it("keeps what it found while the server's list changes", async () => {
      const client = await test.client("ann", era);
      await search(client, "add two numbers");
      await test.hub.upstream.test("everything");
      test.hub.catalog.invalidate();
      expect(await listed(client)).toContain(SUM);
    });
  },
);

describe("D1: the tools that an agent has by name", () => {
  const NAMED = [
    "mcp_everything_echo",
    "mcp_everything_get_sum",
    "mcp_everything_get_tiny_image",
    "mcp_everything_get_env",
  ];
  const external = async (client: Client) => (await listed(client)).filter((name) => name.startsWith("mcp_"));

  it("are in its list however many there are, and those that a pattern brings are not", async () => {
    const { toolboxes } = test.hub.catalog;
    await toolboxes.create("four", { tools: NAMED });
    await test.hub.identity.createAgent("specific", { toolboxes: ["four"] });
    const client = await test.client("specific", "legacy");
    expect((await listed(client)).length).toBeGreaterThan(20);
    expect(await external(client)).toEqual(NAMED.toSorted());
    await toolboxes.update("four", { tools: [...NAMED, "mcp:everything:*", "*"] });
    expect(await external(client)).toEqual(NAMED.toSorted());
    expect(await listed(client)).not.toContain("web_search");
    // What it sees is the same, how it came to it is not.
    await toolboxes.update("four", { tools: ["mcp:everything:*", "*"] });
    expect(await external(client)).toEqual([]);
    expect((await search(client, "add two numbers")).ids[0]).toBe(SUM);
    expect(await sum(client)).toContain("5");
    await toolboxes.update("four", { tools: [...NAMED, "mcp:everything:*", "*"] });
    expect(await external(client)).toEqual(NAMED.toSorted());
  });

  it("D8: are joined by what coordinators, and local models, use all the time", async () => {
    const offered = ["kumiho_memory_engage", "save_plan", "other"];
    await using led = await testGateway({
      servers: { kumiho: fixture("lists tools", JSON.stringify(offered)) },
      toolboxes: { led: ["mcp:kumiho:*"] },
      agents: { lead: ["led"] },
      settings: { deferred_loading: true },
    });
    await led.hub.upstream.test("kumiho");
    const shown = async () => await external(await led.client("lead", "modern"));
    expect(await shown()).toEqual([]);
    await led.hub.identity.updateAgent("lead", { model: "ollama/gemma3" });
    expect(await shown()).toEqual(["mcp_kumiho_save_plan"]);
    await led.hub.identity.updateAgent("lead", { model: null, coordinator: true });
    expect(await shown()).toEqual(["mcp_kumiho_kumiho_memory_engage", "mcp_kumiho_save_plan"]);
    await led.hub.identity.updateAgent("lead", { coordinator: false, localModel: true });
    expect(await shown()).toEqual(["mcp_kumiho_save_plan"]);
  });
});

describe("D7: what a server says that nobody vouches for", () => {
  it("is cut in lists, whole in what a search gives, and whole everywhere once the server is trusted", async () => {
    await using long = await testGateway({
      toolboxes: { long: ["mcp:long:*"] },
      agents: { ann: ["long"] },
    });
    await long.hub.upstream.add("long", fixture("describes itself at length"));
    await long.hub.upstream.settled();
    const said = async () => {
      const client = await long.client("ann", "modern");
      return (await client.listTools()).tools.find(({ name }) => name === "mcp_long_echo")!.description!;
    };
    expect(await said()).toBe(`${"word ".repeat(40).slice(0, 199)}…`);
    const found = await search(await long.client("ann", "legacy"), "select:mcp_long_echo");
    expect(found.text).toContain("word ".repeat(100).trim());
    await long.hub.upstream.update("long", { trusted: true });
    expect(await said()).toBe("word ".repeat(100).trim());
  });
});

describe("deferred tools", () => {
  it("are in whole lists where the agent has few", async () => {
    const client = await test.client("few", "legacy");
    expect(client.getInstructions()).not.toContain("available-deferred-tools");
  });

  it("are found by a sub-agent whose parent had found them", async () => {
    await test.hub.identity.createAgent("kid", { parent: "mum", toolboxes: ["everything"] });
    await test.hub.identity.createAgent("poor", { parent: "mum" });
    const parent = await test.client("mum", "legacy");
    const kid = await test.client("kid", "modern");
    expect(await listed(kid)).not.toContain(SUM);
    await search(parent, "add two numbers");
    expect(await listed(kid)).toContain(SUM);
    expect(await sum(kid)).toContain("5");
    const poor = await test.client("poor", "legacy");
    expect(await listed(poor)).not.toContain(SUM);
  });

  it("of a modern caller are those of the conversation that it names, else of its token", async () => {
    const client = await test.client("ann", "modern");
    const named = { _meta: { "toolkeep/conversation": "chat-7" } };
    await client.callTool({ name: "tool_search", arguments: { query: `select:${SUM}` }, ...named });
    expect((await client.listTools(named)).tools.map(({ name }) => name)).toContain(SUM);
    expect(await listed(client)).not.toContain(SUM);
  });

  it("are over when a client ends its session", async () => {
    const token = await test.token("ann");
    const client = testClient("legacy");
    const transport = new StreamableHTTPClientTransport(new URL(test.url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    });
    await client.connect(transport);
    await search(client, "add two numbers");
    await transport.terminateSession();
    await client.close();
    const next = await connect(token, "legacy");
    expect(await listed(next)).not.toContain(SUM);
    await next.close();
  });

  it("stay away where the address gives no tool_search to find them", async () => {
    const client = await test.client("ann", "legacy", { path: "/everything" });
    expect(await listed(client)).toContain(SUM);
    const whole = await test.client("ann", "modern", { path: "/server/everything" });
    expect(await listed(whole)).toContain("get-sum");
  });

  it("are called through call_tool, says the search, by a client that does not look at its changed list", async () => {
    let now = Date.now();
    await using slow = await testGateway({
      servers: { everything: EVERYTHING },
      toolboxes: { everything: ["mcp:everything:*"] },
      agents: { ann: ["everything"] },
      settings: { deferred_loading: "auto" },
      gateway: { clock: () => now },
    });
    await slow.hub.upstream.test("everything");
    const client = await slow.client("ann", "legacy");
    expect((await search(client, "add two numbers")).text).toContain("by their names");
    now += 5_000;
    const second = await search(client, "echo a message");
    expect(second.text).toContain("Call them with call_tool");
    await listed(client);
    expect((await search(client, "tiny image")).text).toContain("by their names");
  });
});

describe("call_tool", () => {
  it("is refused like the call that it stands for", async () => {
    const few = await test.client("few", "legacy");
    const outcome = async (args: Record<string, unknown>) =>
      (await few.callTool({ name: "call_tool", arguments: args }))._meta?.["toolkeep/outcome"];
    expect(await outcome({ name: SUM, arguments: { a: 1, b: 2 } })).toBe("not_granted");
    expect(await outcome({ name: "no_such_tool" })).toBe("unknown_tool");
    expect(await outcome({ name: "read_file", arguments: { path: {} } })).toBe("invalid_arguments");
    expect(await outcome({ name: "call_tool", arguments: { name: "think" } })).toBe("invalid_arguments");
    expect(await outcome({ arguments: {} })).toBe("invalid_arguments");
  });

  it("is in the audit as the tool that ran", async () => {
    const ann = await test.client("ann", "legacy");
    await ann.callTool({ name: "call_tool", arguments: { name: SUM, arguments: { a: 1, b: 2 } } });
    await waitUntil("the call is in the store", async () => {
      const calls = await callTables(test.hub.store).calls.list({ limit: 10 });
      return calls.some(({ tool, requested, arguments: args }) => {
        return tool === SUM && requested === "call_tool" && args === '{"a":1,"b":2}';
      });
    });
  });
});
