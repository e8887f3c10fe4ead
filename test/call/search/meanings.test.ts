import { describe, expect, it } from "vitest";
import { ToolRanking } from "../../../src/call/search/tool-ranking.ts";
import type { Tool } from "../../../src/contract/tool.ts";
import { noEmbedder } from "../../../src/machine/text/meaning/embedder.ts";
import { Meanings } from "../../../src/machine/text/meaning/meanings.ts";
import { FakeEmbedder } from "../../support/fake-embedder.ts";
import { testTool } from "../../support/tools.ts";

const SUBJECTS = ["mail letter correspondence", "forecast weather rain umbrella", "invoice bill money"];
const tool = (name: string, description: string) => testTool({ name, description });
const TOOLS = [
  tool("deliver", "Brings a letter to its recipient"),
  tool("outlook", "The forecast of a city"),
  tool("charge", "Writes a bill"),
];

/** A ranking over tools that can be replaced. */
function setUp(given: { embedder?: FakeEmbedder; isOn?: () => boolean; waitMs?: number } = {}) {
  const { embedder = new FakeEmbedder(SUBJECTS), isOn = () => true, waitMs = 5_000 } = given;
  const meanings = new Meanings({ embedder, isOn, waitMs });
  let byName = new Map(TOOLS.map((one) => [one.name, one]));
  let revision = 1;
  const ranking = new ToolRanking({
    tool: (name) => byName.get(name),
    revision: () => revision,
    offerers: () => new Map(),
    meanings,
  });
  return {
    embedder,
    meanings,
    ranking,
    replace(tools: readonly Tool[]) {
      byName = new Map(tools.map((one) => [one.name, one]));
      revision += 1;
    },
    async ready(among: readonly Tool[]) {
      await ranking.prepare(among);
      await meanings.catchUp();
    },
    found: async (query: string, among: readonly Tool[]) =>
      (await ranking.search(query, among, 10)).map((hit) => hit.tool.name),
  };
}

/** Makes the embedder answer only once the returned function is called. */
function holdAnswers(embedder: FakeEmbedder): () => void {
  let answer = () => {};
  embedder.held = new Promise((resolve) => {
    answer = resolve;
  });
  return answer;
}

describe("what tools mean", () => {
  it("finds a tool that has no word of the query", async () => {
    const { found, ready } = setUp();
    expect(await found("umbrella", TOOLS)).toEqual([]);
    await ready(TOOLS);
    expect(await found("umbrella", TOOLS)).toEqual(["outlook"]);
    expect(await found("nonsense", TOOLS)).toEqual([]);
  });

  it("is worked out in the background: a search waits for no tool's vector", async () => {
    const { embedder, meanings, found } = setUp();
    const answer = holdAnswers(embedder);
    expect(await found("letter", TOOLS)).toEqual(["deliver"]);
    expect(meanings.counts).toEqual({ ready: 0, waiting: 3 });
    answer();
    await meanings.catchUp();
    expect(meanings.counts).toEqual({ ready: 3, waiting: 0 });
  });

  it("does not keep a search waiting for the vector of its query", async () => {
    const { embedder, found, ready } = setUp({ waitMs: 1 });
    await ready(TOOLS);
    const answer = holdAnswers(embedder);
    expect(await found("letter", TOOLS)).toEqual(["deliver"]);
    expect(await found("umbrella", TOOLS)).toEqual([]);
    answer();
    await embedder.held;
    expect(await found("umbrella", TOOLS)).toEqual(["outlook"]);
  });

  it("asks once for a tool, once for a query, and again for a tool that says something else", async () => {
    const { embedder, found, ready, replace } = setUp();
    await ready(TOOLS);
    for (let again = 0; again < 3; again++) await found("umbrella", TOOLS);
    expect(embedder.asked.filter((text) => text.startsWith("urgent"))).toEqual(["urgent: umbrella"]);
    expect(embedder.asked).toHaveLength(4);
    const changed = [tool("deliver", "Knows the weather"), TOOLS[1]!, TOOLS[2]!];
    replace(changed);
    await ready(changed);
    expect(embedder.asked).toHaveLength(5);
    expect(await found("umbrella", changed)).toEqual(["deliver", "outlook"]);
  });

  it("of a tool that is gone is forgotten", async () => {
    const { meanings, ready, replace } = setUp();
    await ready(TOOLS);
    const left = TOOLS.slice(1);
    replace(left);
    await ready(left);
    expect(meanings.counts).toEqual({ ready: 2, waiting: 0 });
  });

  it("of what is not granted changes no score", async () => {
    const granted = TOOLS.slice(0, 2);
    const [alone, beside] = [setUp(), setUp()];
    await alone.ready(granted);
    await beside.ready(TOOLS);
    for (const query of ["letter", "umbrella", "bill", "the letter of the city", "nonsense"])
      expect(await beside.ranking.search(query, granted, 10), query).toEqual(
        await alone.ranking.search(query, granted, 10),
      );
  });

  it("counts for nothing when it is turned off, and nobody is asked", async () => {
    const { embedder, found, ready } = setUp({ isOn: () => false });
    await ready(TOOLS);
    expect(await found("umbrella", TOOLS)).toEqual([]);
    expect(embedder.asked).toEqual([]);
  });

  it("counts for nothing without an embedder, and from when it is lost", async () => {
    const meanings = new Meanings({ embedder: noEmbedder("none"), isOn: () => true });
    meanings.take("a", "b");
    await meanings.catchUp();
    expect(await meanings.ofQuery("b")).toBeUndefined();

    const { embedder, found, ready } = setUp();
    await ready(TOOLS);
    await embedder.close();
    expect(await found("umbrella", TOOLS)).toEqual([]);
    expect(await found("letter", TOOLS)).toEqual(["deliver"]);
  });

  it("stops where it is on close", async () => {
    const { embedder, meanings, ranking } = setUp();
    await ranking.prepare(TOOLS);
    await meanings.close();
    expect(meanings.counts.waiting).toBe(0);
    expect(embedder.asked.length).toBeLessThanOrEqual(3);
    expect(await meanings.ofQuery("letter")).toBeUndefined();
  });
});
