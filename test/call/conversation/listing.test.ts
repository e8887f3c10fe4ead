import { describe, expect, it } from "vitest";
import type { ListLimits } from "../../../src/call/conversation/list-limits.ts";
import { makeListing } from "../../../src/call/conversation/listing.ts";
import type { Tool } from "../../../src/contract/tool.ts";
import { testTool } from "../../support/tools.ts";

const OWN = ["call_tool", "read_file", "tool_search"].map((name) => testTool({ name, floor: true }));
const external = (name: string, server = "hub") =>
  testTool({ name: `mcp_${server}_${name}`, ownName: name, origin: `mcp:${server}` });
const EXTERNAL = ["create_issue", "list_issues", "merge"].map((name) => external(name));
const VISIBLE = [...OWN, ...EXTERNAL];
const NOBODY = { named: new Set<string>(), pins: [] };
const none = new Map<string, number>();

function limits(change: Partial<ListLimits> = {}): ListLimits {
  return { mode: "auto", threshold: 5, eager: [], ...change };
}

function names(tools: readonly Tool[]): string[] {
  return tools.map(({ name }) => name);
}

describe("what a model is shown", () => {
  it("is everything up to the threshold, which counts every tool", () => {
    const listing = makeListing(VISIBLE, none, NOBODY, limits({ threshold: 6 }));
    expect(listing).toEqual({ tools: VISIBLE, deferred: [], retired: [] });
    expect(listing.tools).toBe(VISIBLE);
  });

  it("leaves out, above it, what a pattern or * brings, wherever it comes from", () => {
    const native = testTool({ name: "web_search", wildcard: true });
    const { tools, deferred } = makeListing([...VISIBLE, native], none, NOBODY, limits());
    expect(names(tools)).toEqual(names(OWN));
    expect(deferred).toEqual([...EXTERNAL, native]);
  });

  it("is whole where there is no tool_search to find the rest", () => {
    const unsearchable = VISIBLE.filter(({ name }) => name !== "tool_search");
    expect(makeListing(unsearchable, none, NOBODY, limits({ mode: true })).tools).toBe(unsearchable);
  });

  it("is whole or deferred whatever the count where the settings say so", () => {
    expect(makeListing(VISIBLE, none, NOBODY, limits({ mode: false })).deferred).toEqual([]);
    expect(makeListing(VISIBLE, none, NOBODY, limits({ mode: true, threshold: 99 })).deferred).toEqual(
      EXTERNAL,
    );
  });

  it("is deferred below the threshold where the schemas would fill too much of the window", () => {
    const few = limits({ threshold: 99, maxTokens: 10_000 });
    expect(makeListing(VISIBLE, none, NOBODY, few).deferred).toEqual([]);
    const long = testTool({ ...external("long"), description: "word ".repeat(9_000) });
    expect(makeListing([...VISIBLE, long], none, NOBODY, few).deferred).toEqual([...EXTERNAL, long]);
  });

  it("keeps pinned tools, those that a toolbox or grant names, activated and eager ones", () => {
    const kept = (change: object, activated = none, more: Partial<ListLimits> = {}) =>
      names(makeListing(VISIBLE, activated, { ...NOBODY, ...change }, limits(more)).tools).filter((name) =>
        name.startsWith("mcp_"),
      );
    expect(kept({ pins: ["mcp_hub_merge"] })).toEqual(["mcp_hub_merge"]);
    expect(kept({ named: new Set(["mcp_hub_list_issues"]) })).toEqual(["mcp_hub_list_issues"]);
    expect(kept({}, new Map([["mcp_hub_merge", 1]]))).toEqual(["mcp_hub_merge"]);
    expect(kept({}, none, { eager: ["create_issue"] })).toEqual(["mcp_hub_create_issue"]);
    expect(kept({}, none, { eager: ["issues"] })).toEqual(["mcp_hub_list_issues"]);
    expect(kept({}, none, { eager: ["ssues"] })).toEqual([]);
    expect(kept({}, none, { eager: ["mcp_hub_*issue*"] })).toEqual([
      "mcp_hub_create_issue",
      "mcp_hub_list_issues",
    ]);
  });

  it("is never longer than its host takes: what was unused longest goes first, and is named", () => {
    const activated = new Map([
      ["mcp_hub_merge", 3],
      ["mcp_hub_create_issue", 1],
      ["mcp_hub_list_issues", 2],
    ]);
    const listing = makeListing(
      VISIBLE,
      activated,
      { ...NOBODY, pins: ["mcp_hub_create_issue"] },
      limits({ maxTools: 5 }),
    );
    expect(names(listing.tools)).toEqual([...names(OWN), "mcp_hub_create_issue", "mcp_hub_merge"]);
    expect(names(listing.retired)).toEqual(["mcp_hub_list_issues"]);
    expect(listing.tooManyFor).toBeUndefined();
  });

  it("leaves out what is named last of all, and by its use", () => {
    const activated = new Map([
      ["mcp_hub_merge", 9],
      ["mcp_hub_list_issues", 2],
    ]);
    const named = new Set(["mcp_hub_create_issue", "mcp_hub_list_issues"]);
    const keeping = { named, pins: [] };
    const left = (maxTools: number, eager: string[] = []) =>
      names(makeListing(VISIBLE, activated, keeping, limits({ maxTools, eager })).deferred);
    expect(left(6)).toEqual([]);
    expect(left(5)).toEqual(["mcp_hub_merge"]);
    expect(left(5, ["merge"])).toEqual(["mcp_hub_merge"]);
    expect(left(4)).toEqual(["mcp_hub_create_issue", "mcp_hub_merge"]);
    expect(left(3)).toEqual(names(EXTERNAL));
  });

  it("defers rather than being refused, even where the settings say no", () => {
    const listing = makeListing(VISIBLE, none, NOBODY, limits({ mode: false, maxTools: 5 }));
    expect(listing.tools.length).toBeLessThanOrEqual(5);
    expect(listing.deferred).toEqual(EXTERNAL);
  });

  it("says so where what must be in it is more than its host takes", () => {
    expect(makeListing(VISIBLE, none, NOBODY, limits({ maxTools: 2 })).tooManyFor).toBe(2);
  });

  it("names in the description of tool_search what is behind it, and nothing else", () => {
    const hidden = external("secret_thing", "vault");
    const described = (visible: readonly Tool[]) =>
      makeListing(visible, none, NOBODY, limits()).tools.find(({ name }) => name === "tool_search")
        ?.description;
    expect(described(VISIBLE)).toContain("3 tools");
    expect(described(VISIBLE)).toContain("hub (3: mcp_hub_create_issue, mcp_hub_list_issues, mcp_hub_merge)");
    expect(described(VISIBLE)).not.toContain("vault");
    expect(described([...VISIBLE, hidden])).toContain("vault (1: mcp_vault_secret_thing)");
  });

  it("describes hundreds of servers in a few lines", () => {
    const many = Array.from({ length: 500 }, (_, index) => external("go", `server${index}`));
    const search = makeListing([...OWN, ...many], none, NOBODY, limits()).tools.find(
      ({ name }) => name === "tool_search",
    );
    expect(search!.description.length).toBeLessThan(1_500);
    expect(search!.description).toContain("and 488 more");
  });
});
