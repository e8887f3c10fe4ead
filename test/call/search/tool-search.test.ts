import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTables } from "../../support/call-tables.ts";
import { EVERYTHING, type TestHub, testHub } from "../../support/test-hub.ts";
import { waitUntil } from "../../support/wait-until.ts";

interface Answer {
  readonly matches: readonly { readonly id: string; readonly alike?: readonly string[] }[];
  readonly not_found: readonly string[];
}

let t: TestHub;
beforeAll(async () => {
  t = await testHub({
    servers: { everything: EVERYTHING, spare: EVERYTHING },
    toolboxes: { one: ["mcp:everything:*"], both: ["mcp:*"] },
    agents: { bare: [], one: ["one"], both: ["both"] },
    rules: [{ permission: "mcp:everything:get-env", action: "deny" }],
  });
  for (const name of ["everything", "spare"]) await t.hub.upstream.test(name);
});
afterAll(() => t[Symbol.asyncDispose]());

async function search(query: string, agent = "one", more: object = {}) {
  const outcome = await t.call("tool_search", { query, ...more }, agent);
  expect(outcome.outcome).toBe("ok");
  return { text: outcome.text, ...(outcome.structured as unknown as Answer) };
}
const idsOf = ({ matches }: Answer) => matches.map(({ id }) => id);

describe("tool_search", () => {
  it("finds a tool by what it does and gives its whole schema", async () => {
    const found = await search("add two numbers");
    expect(idsOf(found)[0]).toBe("mcp_everything_get_sum");
    const [, json = ""] = /<functions>\n<function>(.*)<\/function>/.exec(found.text) ?? [];
    const tool = t.hub.catalog.get("mcp_everything_get_sum")!;
    expect(JSON.parse(json)).toEqual({
      description: tool.description,
      name: tool.name,
      parameters: tool.inputSchema,
    });
  });

  it("puts a tool first that the query names, by its full name or its own", async () => {
    expect(idsOf(await search("mcp_everything_echo"))[0]).toBe("mcp_everything_echo");
    expect(idsOf(await search("get-sum"))[0]).toBe("mcp_everything_get_sum");
  });

  it("shows nothing that is not granted or that a rule denies outright", async () => {
    expect(idsOf(await search("add two numbers", "bare"))).not.toContain("mcp_everything_get_sum");
    expect(idsOf(await search("environment variables", "one", { max_results: 10 }))).not.toContain(
      "mcp_everything_get_env",
    );
    const selected = await search("select:mcp_everything_get_env,mcp_spare_echo");
    expect(selected).toMatchObject({ matches: [], not_found: ["mcp_everything_get_env", "mcp_spare_echo"] });
  });

  it("selects exactly the tools that are named, and says which ones it could not", async () => {
    const found = await search("select:mcp_everything_echo, get-sum,no_such_tool");
    expect(idsOf(found)).toEqual(["mcp_everything_echo", "mcp_everything_get_sum"]);
    expect(found.not_found).toEqual(["no_such_tool"]);
    expect(found.text).toContain("\nNot found: no_such_tool");
  });

  it("does not guess which tool is meant where two have the name", async () => {
    expect(await search("select:echo", "both")).toMatchObject({ matches: [], not_found: ["echo"] });
  });

  it("says which tools a name could mean, and takes the end of a name where only one has it", async () => {
    const two = await search("select:sum", "both");
    expect(two).toMatchObject({ matches: [], not_found: ["sum"] });
    expect(two.text).toContain("sum could be any of mcp_everything_get_sum, mcp_spare_get_sum");
    const one = await search("select:sum,no_such_tool", "one");
    expect(idsOf(one)).toEqual(["mcp_everything_get_sum"]);
    expect(one.not_found).toEqual(["no_such_tool"]);
  });

  it("puts a tool whose name ends in the query first, whatever the words are worth", async () => {
    expect(idsOf(await search("tiny_image", "one"))[0]).toBe("mcp_everything_get_tiny_image");
    expect(idsOf(await search("get-tiny-image", "one"))[0]).toBe("mcp_everything_get_tiny_image");
  });

  it("says no more of a tool that is not granted than of one that is not there", async () => {
    const answerFor = async (name: string) => {
      const found = await search(`select:${name}`, "bare");
      return { ...found, text: found.text.replaceAll(name, "NAME"), not_found: [] };
    };
    expect(await answerFor("mcp_everything_get_sum")).toEqual(await answerFor("mcp_everything_no_such"));
  });

  it("gathers the same tool of several servers under one match", async () => {
    const found = await search("add two numbers", "both");
    expect(found.matches[0]).toMatchObject({
      id: "mcp_everything_get_sum",
      alike: ["mcp_spare_get_sum"],
    });
    expect(found.text).toContain("of other servers: mcp_spare_get_sum");
  });

  it("gives as many as were asked for, and never more than the settings say", async () => {
    expect((await search("get tool resource file", "both")).matches).toHaveLength(5);
    expect((await search("get tool resource file", "both", { max_results: 2 })).matches).toHaveLength(2);
    expect((await search("get tool resource file", "both", { max_results: 50 })).matches).toHaveLength(10);
  });

  it.each([
    ["typos", "ecoh mesage", "mcp_everything_echo"],
    ["words for each other", "compute the sum", "mcp_everything_get_sum"],
    ["a page of text", `add two numbers ${"and so on ".repeat(900)}`, "mcp_everything_get_sum"],
  ])("copes with %s", async (_, query, expected) => {
    expect(idsOf(await search(query, "one", { max_results: 10 }))).toContain(expected);
  });

  it.each(["x", "?", "天气预报", "zzzzqqqq", "select:"])(
    "says what there is where nothing fits: %s",
    async (query) => {
      const found = await search(query);
      expect(found.matches).toEqual([]);
      expect(found.text).toContain("- everything (");
      expect(found.text).toContain("Ask again");
    },
  );

  it("knows a tool that came, and no longer one that went", async () => {
    await t.hub.identity.createAgent("later", { grants: [] });
    expect(idsOf(await search("add two numbers", "later"))).not.toContain("mcp_spare_get_sum");
    await t.hub.identity.updateAgent("later", { grants: ["mcp_spare_get_sum"] });
    expect(idsOf(await search("add two numbers", "later"))[0]).toBe("mcp_spare_get_sum");
  });

  it("is not there where the settings turn it off", async () => {
    await using off = await testHub({ settings: { tool_search: { enabled: false } }, agents: { bare: [] } });
    expect(off.hub.catalog.visible(off.caller("bare")).map((tool) => tool.name)).not.toContain("tool_search");
    expect(await off.call("tool_search", { query: "files" }, "bare")).toMatchObject({ outcome: "disabled" });
  });

  it("learns from what is called after a search where the settings say so, and only there", async () => {
    const use = async ({ call }: TestHub) => {
      for (let again = 0; again < 2; again++)
        await call("tool_search", { query: "think about the next step" }, "bare");
      await call("think", { thought: "well" }, "bare");
    };
    const learnt = async ({ hub }: TestHub) => {
      const { id } = hub.identity.agent("bare");
      return (await callTables(hub.store).toolUses.list(id, 10))
        .map(({ tool, term }) => `${tool} ${term}`)
        .sort();
    };
    const agents = { bare: [] };
    await using learning = await testHub({ settings: { tool_search: { learn: true } }, agents });
    await use(learning);
    await waitUntil("it is kept", async () => (await learnt(learning)).length > 0);
    expect(await learnt(learning)).toEqual(["think about", "think next", "think step", "think think"]);
    await using plain = await testHub({ agents });
    await use(plain);
    expect(await learnt(plain)).toEqual([]);
  });
});
