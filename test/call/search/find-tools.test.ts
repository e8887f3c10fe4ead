import { describe, expect, it } from "vitest";
import { callTables } from "../../support/call-tables.ts";
import { testHub } from "../../support/test-hub.ts";

const QUERY = "read a file";

describe("a search that explains itself", () => {
  it("finds what tool_search finds, in the same order", async () => {
    await using t = await testHub({ agents: { main: ["all"] } });
    const { matches } = await t.hub.explainSearch(t.caller("main"), QUERY, 5);
    const { structured } = await t.call("tool_search", { query: QUERY }, "main");
    const ids = (structured as { matches: { id: string }[] }).matches.map(({ id }) => id);
    expect(matches.map(({ tool }) => tool.name)).toEqual(ids);
  });

  it("gives parts that add up to the score, and the fields of each word", async () => {
    await using t = await testHub({ agents: { main: ["all"] } });
    const { matches } = await t.hub.explainSearch(t.caller("main"), QUERY, 5);
    for (const { score, reason } of matches) {
      const { words, coverage, meaning, learned } = reason;
      const sum = words.reduce((total, word) => total + word.score, coverage + meaning + learned);
      expect(sum).toBeCloseTo(score, 2);
    }
    const [best] = matches;
    expect(best!.tool.name).toBe("read_file");
    expect(best!.reason.words.find(({ word }) => word === "file")?.fields).toContain("name");
  });

  it("says where another word stands in for one that no tool has", async () => {
    await using t = await testHub({ agents: { main: ["all"] } });
    const { matches } = await t.hub.explainSearch(t.caller("main"), "raed_fil directoyr", 3);
    const words = matches.flatMap(({ reason }) => reason.words);
    expect(words.filter(({ standsIn }) => standsIn).map(({ word }) => word)).toContain("directori");
  });

  it("puts a tool first that the query names, without a score", async () => {
    await using t = await testHub({ agents: { main: ["all"] } });
    const { matches } = await t.hub.explainSearch(t.caller("main"), "grep", 3);
    expect(matches[0]).toMatchObject({ named: true, score: 0, tool: { name: "grep" } });
  });

  it("narrows what is shown without moving what is left", async () => {
    await using t = await testHub({ agents: { main: ["all"] } });
    const caller = t.caller("main");
    const all = await t.hub.explainSearch(caller, QUERY, 20);
    const isReading = ({ flags }: { flags: { readOnly: boolean } }) => flags.readOnly;
    const some = await t.hub.explainSearch(caller, QUERY, 3, isReading);
    const expected = all.matches.filter(({ tool }) => isReading(tool)).slice(0, 3);
    expect(some.matches.map(({ tool }) => tool.name)).toEqual(expected.map(({ tool }) => tool.name));
  });

  it("leaves no trace: the next search is as it would have been", async () => {
    await using t = await testHub({ agents: { main: ["all"] } });
    const caller = t.caller("main");
    await t.hub.explainSearch(caller, QUERY, 5);
    await t.call("read_file", { path: "x" }, "main");
    expect(await callTables(t.hub.store).toolUses.list(caller.agentId, 10)).toEqual([]);
  });
});
