import { describe, expect, it } from "vitest";
import { findExcessGrants } from "../../../src/call/catalog/excess-grants.ts";
import type { GrantRequest } from "../../../src/call/identity/agent-grants.ts";
import type { Caller } from "../../../src/contract/caller.ts";
import { testCaller, testTool } from "../../support/tools.ts";

const tools = [
  testTool({ name: "think", floor: true, wildcard: true }),
  testTool({ name: "fetch", wildcard: true, scope: "web" }),
  testTool({ name: "report", floor: true, availability: "sub-agent" }),
  testTool({ name: "mcp_fs_read", ownName: "read", origin: "mcp:fs", scope: "mcp" }),
  testTool({ name: "mcp_fs_write", ownName: "write", origin: "mcp:fs", scope: "mcp" }),
  testTool({ name: "create_agent", origin: "platform", scope: "admin", availability: "main" }),
];
const known = {
  toolboxes: new Map([
    ["all", { tools: ["*"] }],
    ["reading", { tools: ["mcp_fs_read"] }],
    ["fs", { tools: ["mcp:fs:*"] }],
    ["later", { tools: ["not_there_yet"] }],
  ]),
  tool: (name: string) => tools.find((tool) => tool.name === name),
};
const findExcess = (caller: Partial<Caller>, gift: GrantRequest) =>
  findExcessGrants(testCaller(caller), gift, known);

describe("what an agent may hand on", () => {
  it.each<[string, Partial<Caller>, GrantRequest, readonly string[]]>([
    ["the floor", {}, { grants: ["think"] }, []],
    ["what is for sub-agents only", {}, { grants: ["report"] }, []],
    ["what it has by a toolbox", { toolboxes: ["reading"] }, { grants: ["mcp_fs_read"] }, []],
    ["a tool that its pattern covers", { toolboxes: ["fs"] }, { grants: ["mcp_fs_write"] }, []],
    ["a toolbox of tools that it has", { grants: ["mcp_fs_read"] }, { toolboxes: ["reading"] }, []],
    ["the very same pattern", { grants: ["mcp:fs:*"] }, { toolboxes: ["fs"] }, []],
    ["* where it has *", { toolboxes: ["all"] }, { grants: ["*"] }, []],
    [
      "a name that nothing has, which it has too",
      { toolboxes: ["later"] },
      { grants: ["not_there_yet"] },
      [],
    ],
    ["nothing", {}, {}, []],
  ])("is %s", (_, caller, gift, expected) => {
    expect(findExcess(caller, gift)).toEqual(expected);
  });

  it.each<[string, Partial<Caller>, GrantRequest, readonly string[]]>([
    ["what it does not have", {}, { grants: ["mcp_fs_read"] }, ["mcp_fs_read"]],
    [
      "what only its token lacks the scope for",
      { toolboxes: ["all"], scopes: ["tools"] },
      { grants: ["fetch"] },
      ["fetch"],
    ],
    ["a pattern of which it has a part", { grants: ["mcp_fs_read"] }, { grants: ["mcp:fs:*"] }, ["mcp:fs:*"]],
    [
      "a smaller pattern: it may grow otherwise",
      { grants: ["mcp:*"] },
      { grants: ["mcp:fs:*"] },
      ["mcp:fs:*"],
    ],
    ["* where it has every tool of today", { grants: ["think", "fetch"] }, { grants: ["*"] }, ["*"]],
    ["* through a token with scopes", { grants: ["*"], scopes: ["tools", "web"] }, { grants: ["*"] }, ["*"]],
    ["a name that may become anything", {}, { grants: ["not_there_yet"] }, ["not_there_yet"]],
    ["a toolbox that may become anything", {}, { toolboxes: ["ghost"] }, ["toolbox ghost"]],
    ["platform tools by *", { toolboxes: ["all"] }, { grants: ["create_agent"] }, ["create_agent"]],
  ])("is not %s", (_, caller, gift, expected) => {
    expect(findExcess(caller, gift)).toEqual(expected);
  });

  it("is a folder of its own, or one inside, with no more access", () => {
    const folders = [
      { path: "/srv/docs", access: "read" },
      { path: "/srv/app", access: "write" },
    ] as const;
    const of = (path: string, access: "read" | "write") =>
      findExcess({ folders }, { folders: [{ path, access }] });
    expect(of("/srv/docs", "read")).toEqual([]);
    expect(of("/srv/docs/a/b", "read")).toEqual([]);
    expect(of("/srv/app/..app", "write")).toEqual([]);
    expect(of("/srv/docs", "write")).toEqual(["folder /srv/docs (write)"]);
    expect(of("/srv", "read")).toEqual(["folder /srv (read)"]);
    expect(of("/srv/docs-2", "read")).toEqual(["folder /srv/docs-2 (read)"]);
    expect(of("/srv/docs/../app2", "read")).toEqual(["folder /srv/docs/../app2 (read)"]);
  });

  it("is everything for a person", () => {
    expect(findExcess({ operator: true }, { grants: ["*", "mcp:*"], toolboxes: ["ghost"] })).toEqual([]);
  });
});
