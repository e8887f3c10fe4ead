import { describe, expect, it } from "vitest";
import { grantSet, grantSources, isGranted } from "../../../src/call/catalog/grants.ts";
import type { Tool } from "../../../src/contract/tool.ts";
import { testCaller, testTool } from "../../support/tools.ts";

const toolboxes = new Map([
  ["all", { tools: ["*"] }],
  ["fs", { tools: ["mcp_fs_read", "report"] }],
  ["git", { tools: ["mcp_git_log", "mcp_fs_read"] }],
  ["servers", { tools: ["mcp:*"] }],
  ["reads", { tools: ["mcp:*:read*", "mcp:git:log"] }],
]);
const tools: readonly Tool[] = [
  testTool({ name: "think", floor: true, wildcard: true }),
  testTool({ name: "http_request", wildcard: true, scope: "web" }),
  testTool({ name: "create_agent", scope: "admin", availability: "main" }),
  testTool({ name: "report", floor: true, availability: "sub-agent" }),
  testTool({ name: "mcp_fs_read", scope: "mcp", origin: "mcp:fs", ownName: "read" }),
  testTool({ name: "mcp_git_log", scope: "mcp", origin: "mcp:git", ownName: "log" }),
];

const granted = (caller: Parameters<typeof testCaller>[0]) => {
  const who = testCaller(caller);
  return tools.filter((tool) => isGranted(tool, who, grantSet(who, toolboxes))).map((tool) => tool.name);
};

describe("grants", () => {
  it("without a toolbox are the core floor", () => {
    expect(granted({})).toEqual(["think"]);
  });

  it("of `*` cover what has the wildcard flag, never tools of servers or those given by name only", () => {
    expect(granted({ toolboxes: ["all"] })).toEqual(["think", "http_request"]);
  });

  it("add up over toolboxes and single grants, in any order", () => {
    const both = ["think", "mcp_fs_read", "mcp_git_log"];
    expect(granted({ toolboxes: ["fs", "git"] })).toEqual(both);
    expect(granted({ toolboxes: ["git", "fs"] })).toEqual(both);
    expect(granted({ grants: ["create_agent"] })).toEqual(["think", "create_agent"]);
  });

  it("of a toolbox that does not exist are nothing", () => {
    expect(granted({ toolboxes: ["gone"] })).toEqual(["think"]);
  });

  it("of a pattern cover every tool whose permission it matches, and no other", () => {
    expect(granted({ toolboxes: ["servers"] })).toEqual(["think", "mcp_fs_read", "mcp_git_log"]);
    expect(granted({ toolboxes: ["reads"] })).toEqual(["think", "mcp_fs_read", "mcp_git_log"]);
    expect(granted({ grants: ["mcp:git:*"] })).toEqual(["think", "mcp_git_log"]);
    expect(granted({ grants: ["mcp:fs:read"] })).toEqual(["think", "mcp_fs_read"]);
    expect(granted({ grants: ["mcp:fs", "mcp:gi:*", "read:*", "*:read_"] })).toEqual(["think"]);
    expect(granted({ grants: ["native:*"], context: "sub-agent" })).toEqual([
      "think",
      "http_request",
      "report",
    ]);
  });

  it("of a pattern keep to the scopes of the token", () => {
    expect(granted({ grants: ["mcp:*"], scopes: ["tools"] })).toEqual(["think"]);
  });

  it("keep to the context, whatever a toolbox lists", () => {
    expect(granted({ toolboxes: ["fs"] })).not.toContain("report");
    expect(granted({ toolboxes: ["fs"], context: "sub-agent" })).toContain("report");
    expect(granted({ grants: ["create_agent"], context: "sub-agent" })).not.toContain("create_agent");
  });

  it("are narrowed by the token's scopes, the floor included", () => {
    expect(granted({ toolboxes: ["fs"], scopes: ["mcp"] })).toEqual(["mcp_fs_read"]);
    expect(granted({ toolboxes: ["fs"], scopes: [] })).toEqual([]);
  });

  it("of a person are every tool that fits the context", () => {
    expect(granted({ operator: true })).toEqual([
      "think",
      "http_request",
      "create_agent",
      "mcp_fs_read",
      "mcp_git_log",
    ]);
  });

  it("say where they come from", () => {
    const caller = testCaller({ toolboxes: ["fs", "git"], grants: ["mcp_fs_read"] });
    expect(grantSources(tools[4]!, caller, toolboxes)).toEqual(["toolbox fs", "toolbox git", "grant"]);
    expect(grantSources(tools[0]!, caller, toolboxes)).toEqual(["floor"]);
    const byPattern = testCaller({ toolboxes: ["servers", "reads"], grants: ["mcp:fs:*"] });
    expect(grantSources(tools[4]!, byPattern, toolboxes)).toEqual([
      "toolbox servers (mcp:*)",
      "toolbox reads (mcp:*:read*)",
      "grant (mcp:fs:*)",
    ]);
    expect(grantSources(tools[5]!, byPattern, toolboxes)).toEqual([
      "toolbox servers (mcp:*)",
      "toolbox reads (mcp:git:log)",
    ]);
  });
});
