import { describe, expect, it } from "vitest";
import type { Catalog } from "../../../src/call/catalog/catalog.ts";
import { builtinToolboxes } from "../../../src/call/catalog/toolboxes/builtin-toolboxes.ts";
import type { Caller } from "../../../src/contract/caller.ts";
import type { Tool } from "../../../src/contract/tool.ts";
import { tempStore } from "../../support/temp-store.ts";
import { openCatalog } from "../../support/test-catalog.ts";
import { TestSource, testCaller, testTool } from "../../support/tools.ts";

const TOOLS: readonly Tool[] = [
  testTool({ name: "read_file", floor: true }),
  testTool({ name: "mcp_fs_read_text", ownName: "read_text", origin: "mcp:fs" }),
  testTool({ name: "mcp_fs_stat", ownName: "stat", origin: "mcp:fs" }),
  testTool({ name: "mcp_s3_stat", ownName: "stat", origin: "mcp:s3" }),
  testTool({ name: "mcp_off", status: () => ({ kind: "disabled", reason: "server off is disabled" }) }),
  testTool({
    name: "mcp_new",
    status: () => ({ kind: "pending_approval", reason: "server new waits for approval" }),
  }),
  testTool({
    name: "mcp_down",
    status: () => ({ kind: "unavailable", reason: "mcp server down is unavailable" }),
  }),
];

async function open(tools = TOOLS, hidden: readonly string[] = []) {
  const temp = await tempStore();
  const source = new TestSource(tools);
  const catalog = await openCatalog({
    sources: [source],
    store: temp.store,
    isHidden: (tool) => hidden.includes(tool.name),
    ruledConversation: () => null,
    agentsWith: (toolbox) => (toolbox === "box" ? ["tester"] : []),
  });
  return { catalog, source, [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose]() };
}

const refusal = (resolved: ReturnType<Catalog["resolve"]>) =>
  resolved.ok ? resolved.value.name : resolved.error.outcome;

describe("catalog", () => {
  it("shows a conversation with rules of its own what these leave, and no other one that", async () => {
    await using temp = await tempStore();
    const isRuled = ({ conversation }: Caller) => conversation === "c1";
    const catalog = await openCatalog({
      sources: [new TestSource(TOOLS)],
      store: temp.store,
      isHidden: (_, caller) => isRuled(caller),
      ruledConversation: (caller) => (isRuled(caller) ? caller.conversation : null),
    });
    const names = (conversation: string) =>
      catalog.visible(testCaller({ grants: ["mcp_fs_stat"], conversation })).map(({ name }) => name);
    expect(names("c1")).toEqual([]);
    expect(names("c2")).toContain("mcp_fs_stat");
    expect(names("c1")).toEqual([]);
    expect(catalog.viewKey(testCaller({ conversation: "c2" }))).toBe(
      catalog.viewKey(testCaller({ conversation: "c3" })),
    );
  });

  it("gives unknown, not granted, disabled, pending and unavailable distinct answers", async () => {
    await using opened = await open();
    const { catalog } = opened;
    const caller = testCaller({ grants: ["mcp_fs_read_text", "mcp_off", "mcp_new", "mcp_down"] });
    expect(refusal(catalog.resolve("mcp_fs_read_text", caller))).toBe("mcp_fs_read_text");
    expect(refusal(catalog.resolve("mcp_fs_stat", caller))).toBe("not_granted");
    expect(refusal(catalog.resolve("mcp_off", caller))).toBe("disabled");
    expect(refusal(catalog.resolve("mcp_new", caller))).toBe("pending_approval");
    expect(refusal(catalog.resolve("mcp_down", caller))).toBe("unavailable");
    expect(refusal(catalog.resolve("nothing_like_it", caller))).toBe("unknown_tool");
  });

  it("names the nearest tool the caller sees, never one it may not call", async () => {
    await using opened = await open();
    const near = (name: string, grants: string[]) => {
      const resolved = opened.catalog.resolve(name, testCaller({ grants }));
      return resolved.ok ? undefined : resolved.error.error.message;
    };
    expect(near("mcp_fs_raed_text", ["mcp_fs_read_text"])).toContain("did you mean mcp_fs_read_text?");
    expect(near("mcp_fs_raed_text", [])).not.toContain("mcp_fs_read_text?");
  });

  it("tells the state of a tool only to those it is granted to", async () => {
    await using opened = await open();
    expect(refusal(opened.catalog.resolve("mcp_new", testCaller()))).toBe("not_granted");
  });

  it("resolves a bare name when exactly one visible tool has it, else names the candidates", async () => {
    await using opened = await open();
    const { catalog } = opened;
    expect(refusal(catalog.resolve("read_text", testCaller({ grants: ["mcp_fs_read_text"] })))).toBe(
      "mcp_fs_read_text",
    );
    expect(refusal(catalog.resolve("stat", testCaller({ grants: ["mcp_s3_stat"] })))).toBe("mcp_s3_stat");
    expect(refusal(catalog.resolve("stat", testCaller()))).toBe("not_granted");
    const both = catalog.resolve("stat", testCaller({ grants: ["mcp_s3_stat", "mcp_fs_stat"] }));
    expect(both.ok ? [] : both.error.error.details).toEqual({ candidates: ["mcp_fs_stat", "mcp_s3_stat"] });
  });

  it("takes - and . for _", async () => {
    await using opened = await open();
    expect(refusal(opened.catalog.resolve("read-file", testCaller()))).toBe("read_file");
    expect(refusal(opened.catalog.resolve("Read.File", testCaller()))).toBe("read_file");
  });

  it("lists what is granted and usable or briefly away; nothing hidden, disabled or pending", async () => {
    await using opened = await open(TOOLS, ["mcp_fs_stat"]);
    const caller = testCaller({ grants: TOOLS.map((tool) => tool.name) });
    expect(opened.catalog.visible(caller).map((tool) => tool.name)).toEqual([
      "mcp_down",
      "mcp_fs_read_text",
      "mcp_s3_stat",
      "read_file",
    ]);
  });

  it("follows its sources and toolboxes", async () => {
    await using opened = await open();
    const { catalog, source } = opened;
    const caller = testCaller({ toolboxes: ["box"] });
    const names = () => catalog.visible(caller).map((tool) => tool.name);
    const revisions = [catalog.revision];
    catalog.onChange(() => revisions.push(catalog.revision));
    await catalog.toolboxes.create("box", { tools: ["mcp_fs_stat", "mcp_later"] });
    expect(names()).toEqual(["mcp_fs_stat", "read_file"]);
    expect(catalog.toolboxes.get("box")).toMatchObject({ unknown: ["mcp_later"], agents: ["tester"] });
    source.replace([...TOOLS, testTool({ name: "mcp_later" })]);
    expect(names()).toEqual(["mcp_fs_stat", "mcp_later", "read_file"]);
    expect(catalog.toolboxes.get("box").unknown).toEqual([]);
    await catalog.toolboxes.delete("box");
    expect(names()).toEqual(["read_file"]);
    expect(new Set(revisions).size).toBe(revisions.length);
  });

  it("gives the same list for as long as it is the same tools", async () => {
    await using opened = await open();
    const { catalog, source } = opened;
    const caller = testCaller({ grants: ["mcp_fs_stat"] });
    const before = catalog.visible(caller);
    source.replace([...TOOLS, testTool({ name: "mcp_of_others" })]);
    catalog.invalidate();
    expect(catalog.visible(caller)).toBe(before);
    source.replace(TOOLS.filter(({ name }) => name !== "mcp_fs_stat"));
    expect(catalog.visible(caller).map(({ name }) => name)).toEqual(["read_file"]);
  });

  it("gives a pattern's tools also when they come later", async () => {
    await using opened = await open();
    const { catalog, source } = opened;
    const caller = testCaller({ toolboxes: ["box"], grants: ["mcp:later:*"] });
    const names = () => catalog.visible(caller).map((tool) => tool.name);
    await catalog.toolboxes.create("box", { tools: ["mcp:fs:*", "mcp:gone:*", "no_such_tool"] });
    expect(names()).toEqual(["mcp_fs_read_text", "mcp_fs_stat", "read_file"]);
    expect(catalog.toolboxes.get("box")).toMatchObject({
      unknown: ["no_such_tool"],
      unmatched: ["mcp:gone:*"],
    });
    expect(catalog.isMatched("mcp:later:*")).toBe(false);
    source.replace([...TOOLS, testTool({ name: "mcp_later_go", ownName: "go", origin: "mcp:later" })]);
    expect(names()).toEqual(["mcp_fs_read_text", "mcp_fs_stat", "mcp_later_go", "read_file"]);
    expect(catalog.isMatched("mcp:later:*")).toBe(true);
    expect(refusal(catalog.resolve("mcp_later_go", caller))).toBe("mcp_later_go");
    expect(refusal(catalog.resolve("mcp_s3_stat", caller))).toBe("not_granted");
  });

  it("keeps a native tool in its place when a later source offers the same name", async () => {
    await using temp = await tempStore();
    const native = new TestSource([testTool({ name: "read_file", origin: "native" })]);
    const server = new TestSource([testTool({ name: "read_file", origin: "mcp:evil" })]);
    const catalog = await openCatalog({ sources: [native, server], store: temp.store });
    expect(catalog.get("read_file")?.origin).toBe("native");
  });
});

describe("toolboxes", () => {
  it("written by the program are read-only", async () => {
    await using opened = await open();
    const { toolboxes } = opened.catalog;
    await toolboxes.writeBuiltin(builtinToolboxes(() => []));
    expect(toolboxes.get("all")).toMatchObject({ builtin: true, tools: ["*"] });
    await expect(toolboxes.update("all", { tools: [] })).rejects.toMatchObject({ code: "READ_ONLY" });
    await expect(toolboxes.delete("all")).rejects.toMatchObject({ code: "READ_ONLY" });
  });

  it("refuse bad names, taken names and what is no tool name", async () => {
    await using opened = await open();
    const { toolboxes } = opened.catalog;
    await toolboxes.create("box", { tools: ["read_file", "read_file"] });
    expect(toolboxes.get("box").tools).toEqual(["read_file"]);
    await expect(toolboxes.create("box", {})).rejects.toMatchObject({ code: "NAME_TAKEN" });
    await expect(toolboxes.create("Box!", {})).rejects.toMatchObject({ code: "NAME_INVALID" });
    await expect(toolboxes.create("other", { tools: ["Read File"] })).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
    for (const wrong of ["mcp:\n*", `mcp:${"x".repeat(200)}`, "mcp*"]) {
      await expect(toolboxes.create("other", { tools: [wrong] })).rejects.toMatchObject({
        code: "BAD_REQUEST",
      });
    }
    await toolboxes.create("patterns", { tools: ["mcp:My Server:*"] });
    expect(() => toolboxes.get("bax")).toThrow("did you mean box?");
  });
});
