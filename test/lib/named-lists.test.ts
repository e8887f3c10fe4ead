import { describe, expect, it } from "vitest";
import type { Tool } from "../../src/contract/tool.ts";
import { NamedLists } from "../../src/lib/named-lists.ts";
import { Dice } from "../support/dice.ts";
import { TestSource, testTool } from "../support/tools.ts";

const named = (...names: readonly string[]) => names.map((name) => testTool({ name }));

function gathered(...lists: readonly (readonly Tool[])[]) {
  const sources = lists.map((list) => new TestSource(list));
  const tools = new NamedLists(sources.map((source) => () => source.tools()));
  for (const source of sources) source.onChange(() => tools.outdated());
  return { sources, tools };
}

/** The same in the plainest way. */
function plainly(sources: readonly TestSource[]): readonly Tool[] {
  const byName = new Map<string, Tool>();
  for (const source of sources.toReversed()) for (const tool of source.tools()) byName.set(tool.name, tool);
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

describe("the tools of all sources", () => {
  it("are those of the first source that has the name, also after it came or went", () => {
    const [own, other] = [named("a")[0]!, named("a")[0]!];
    const { sources, tools } = gathered([own], [other]);
    expect(tools.get("a")).toBe(own);
    sources[0]!.replace([]);
    expect(tools.get("a")).toBe(other);
    sources[0]!.replace([own]);
    expect(tools.all).toEqual([own]);
    sources[0]!.replace([]);
    sources[1]!.replace([]);
    expect(tools.all).toEqual([]);
    expect(tools.get("a")).toBeUndefined();
  });

  it("are the same array as long as they are the same tools", () => {
    const list = named("b", "a");
    const { sources, tools } = gathered(list);
    const before = tools.all;
    sources[0]!.replace([...list]);
    expect(tools.all).toBe(before);
    sources[0]!.replace(named("b", "a"));
    expect(tools.all).not.toBe(before);
    expect(before.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("are sorted and complete whatever changes, for random lists", () => {
    for (let seed = 1; seed <= 40; seed++) {
      const dice = new Dice(seed);
      const { sources, tools } = gathered([], [], []);
      for (let round = 0; round < 30; round++) {
        const source = dice.one(sources);
        const kept = source.tools().filter(() => dice.chance(0.8));
        const come = Array.from({ length: dice.below(4) }, () => `t${dice.below(20)}`);
        const fresh = named(...new Set(come)).filter(({ name }) => kept.every((tool) => tool.name !== name));
        const at = dice.below(kept.length + 1);
        source.replace([...kept.slice(0, at), ...fresh, ...kept.slice(at)]);
        if (dice.chance(0.3)) continue;
        const expected = plainly(sources);
        expect(tools.all, `seed ${seed}, round ${round}`).toEqual(expected);
        for (const tool of expected) expect(tools.get(tool.name)).toBe(tool);
      }
    }
  });
});
