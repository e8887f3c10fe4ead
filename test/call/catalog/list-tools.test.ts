import { describe, expect, it } from "vitest";
import { type TestHub, type TestHubSetup, testHub } from "../../support/test-hub.ts";
import { fixture } from "../../support/upstream.ts";

interface ToolPage {
  readonly tools: readonly {
    readonly name: string;
    readonly granted: boolean;
    readonly description: string;
  }[];
  readonly total: number;
  readonly next_offset?: number;
}

async function open(setup: TestHubSetup = {}): Promise<TestHub> {
  const test = await testHub({
    servers: { fs: fixture("lists tools", JSON.stringify(["read", "write", "search"])) as object },
    agents: { plain: [], reader: ["reading"] },
    toolboxes: { reading: ["mcp_fs_read", "no_such_tool"] },
    ...setup,
  });
  await test.hub.upstream.test("fs");
  return test;
}

async function list(test: TestHub, args: object, agent: string): Promise<ToolPage> {
  const outcome = await test.call("list_tools", args, agent);
  expect(outcome.outcome, outcome.text).toBe("ok");
  return outcome.structured as unknown as ToolPage;
}

const names = ({ tools }: ToolPage) => tools.map(({ name }) => name);

describe("list_tools", () => {
  it("lists what the agent can call, the same as every other list", async () => {
    await using test = await open();
    const all = await list(test, { limit: 200 }, "reader");
    expect(names(all)).toEqual(test.hub.catalog.visible(test.caller("reader")).map(({ name }) => name));
    expect(all.tools.every(({ granted }) => granted)).toBe(true);
  });

  it("with scope all says what could be asked for, and nothing that a yes would not help", async () => {
    await using test = await open({ rules: [{ permission: "mcp:fs:write", action: "deny" }] });
    const all = await list(test, { scope: "all", limit: 200 }, "plain");
    expect(all.tools.find(({ name }) => name === "mcp_fs_read")).toMatchObject({ granted: false });
    expect(names(all)).not.toContain("mcp_fs_write");
    // One is for sub-agents, the other only announced.
    expect(names(all)).not.toContain("report_to_parent");
    expect(names(all)).not.toContain("send_email");
  });

  it("narrows by words, domain, origin and toolbox", async () => {
    await using test = await open();
    const found = async (args: object) => names(await list(test, { scope: "all", ...args }, "plain"));
    expect(await found({ origin: "mcp:fs" })).toEqual(["mcp_fs_read", "mcp_fs_search", "mcp_fs_write"]);
    expect(await found({ toolbox: "reading" })).toEqual(["mcp_fs_read"]);
    expect(await found({ query: "the TOOL search", origin: "mcp:fs" })).toEqual(["mcp_fs_search"]);
    expect(await found({ domain: "shell" })).toEqual(["run_shell"]);
    const none = await test.call("list_tools", { query: "no such words" }, "plain");
    expect([none.text, none.structured]).toEqual(["No tool fits.", { tools: [], total: 0 }]);
    expect(await test.call("list_tools", { toolbox: "raeding" }, "plain")).toMatchObject({
      outcome: "failed",
      text: expect.stringContaining("did you mean reading?"),
    });
  });

  it("gives pages that add up", async () => {
    await using test = await open();
    const whole = names(await list(test, { limit: 200 }, "plain"));
    const paged: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: ToolPage = await list(test, { limit: 5, offset }, "plain");
      paged.push(...names(page));
      offset = page.next_offset;
    }
    expect(paged).toEqual(whole);
  });

  it("cuts descriptions where the settings say", async () => {
    await using test = await open({ settings: { max_description_length: 20 } });
    const { tools } = await list(test, { limit: 200 }, "plain");
    expect(Math.max(...tools.map(({ description }) => description.length))).toBe(20);
  });
});
