import { describe, expect, it } from "vitest";
import { ToolRanking } from "../../../src/call/search/tool-ranking.ts";
import type { Tool } from "../../../src/contract/tool.ts";
import { testTool } from "../../support/tools.ts";

/** A replaceable catalogue, its ranking, and the names of the tools whose text was read, in order. */
function setUp(tools: readonly Tool[]) {
  let byName = new Map(tools.map((tool) => [tool.name, tool]));
  let revision = 1;
  const ranking = new ToolRanking({
    tool: (name) => byName.get(name),
    revision: () => revision,
    offerers: () => new Map(),
  });
  return {
    ranking,
    found: async (query: string, among: readonly Tool[]) =>
      (await ranking.search(query, among, 10)).map(({ tool }) => tool),
    replace(next: readonly Tool[]) {
      byName = new Map(next.map((tool) => [tool.name, tool]));
      revision += 1;
    },
  };
}

function watchedTool(name: string, description: string, read: string[]): Tool {
  return Object.defineProperty(testTool({ name }), "description", {
    get: () => {
      read.push(name);
      return description;
    },
  });
}

const numberedTools = (count: number, text: string) =>
  Array.from({ length: count }, (_, at) => testTool({ name: `tool_${at}`, description: `${text} ${at}` }));

describe("the ranking of tools", () => {
  it("reads the tools that it is given and no others, and those once", async () => {
    const read: string[] = [];
    const tools = ["a", "b", "c"].map((name) => watchedTool(name, "sends mail", read));
    const { found } = setUp(tools);
    expect(await found("mail", tools.slice(0, 2))).toEqual(tools.slice(0, 2));
    expect(read).toEqual(["a", "b"]);
    expect(await found("mail", tools)).toEqual(tools);
    await found("send", tools);
    expect(read).toEqual(["a", "b", "c"]);
  });

  it("reads only what changed anew, and forgets what went", async () => {
    const read: string[] = [];
    const [a, b, c] = ["a", "b", "c"].map((name) => watchedTool(name, "sends mail", read)) as [
      Tool,
      Tool,
      Tool,
    ];
    const { found, replace } = setUp([a, b, c]);
    await found("mail", [a, b, c]);
    const other = watchedTool("b", "reads calendars", read);
    replace([a, other]);
    read.length = 0;
    expect(await found("mail", [a, other])).toEqual([a]);
    expect(await found("calendar", [a, other])).toEqual([other]);
    expect(read).toEqual(["b"]);
    expect(await found("mail", [a, b, c])).toEqual([a]);
  });

  it("gives whoever still sees a tool of before that very tool", async () => {
    const [before] = numberedTools(1, "sends mail") as [Tool];
    const [now] = numberedTools(1, "sends mail again") as [Tool];
    const { found, replace } = setUp([before]);
    const among = [before];
    await found("mail", among);
    replace([now]);
    expect((await found("mail", [now]))[0]).toBe(now);
    expect((await found("mail", among))[0]).toBe(before);
  });

  it("holds nobody up while it reads many tools, and answers those meanwhile who need few of them", async () => {
    const many = numberedTools(4_000, Array.from({ length: 60 }, (_, at) => `word${at}`).join(" "));
    const { found } = setUp(many);
    const ended: string[] = [];
    let turns = 0;
    const counting = setInterval(() => turns++, 1);
    try {
      await Promise.all([
        found("word7", many).then(() => ended.push("many")),
        found("word7", many.slice(0, 5)).then(() => ended.push("few")),
      ]);
    } finally {
      clearInterval(counting);
    }
    expect(ended).toEqual(["few", "many"]);
    expect(turns).toBeGreaterThan(3);
  });

  it("follows a catalogue that changes while it is read", async () => {
    const first = numberedTools(3_000, "sends mail");
    const { found, replace } = setUp(first);
    const searching = found("mail", first);
    const next = [...first.slice(0, -1), testTool({ name: "last", description: "sends letters" })];
    replace(next);
    expect(await searching).toHaveLength(10);
    expect((await found("letters", next)).map(({ name }) => name)).toEqual(["last"]);
  });
});
