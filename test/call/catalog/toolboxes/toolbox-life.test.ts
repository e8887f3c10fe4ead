import { describe, expect, it } from "vitest";
import { type TestHub, testHub } from "../../../support/test-hub.ts";
import { fixture } from "../../../support/upstream.ts";

const listing = (...names: string[]) => fixture("lists tools", JSON.stringify(names));
const fsTools = (test: TestHub, agent: string) =>
  test.hub.catalog
    .visible(test.caller(agent))
    .map(({ name }) => name)
    .filter((name) => name.startsWith("mcp_"));

async function open() {
  const test = await testHub({
    servers: {},
    toolboxes: { one: ["mcp_fs_read", "mcp_fs_write"], two: ["mcp_fs_read"] },
    agents: { both: ["one", "two"], only: ["two"] },
  });
  await test.hub.upstream.add("fs", listing("read", "write"));
  await test.hub.upstream.settled();
  return test;
}

describe("a tool in two toolboxes of an agent", () => {
  it("is had once, and stays while one of them gives it", async () => {
    await using test = await open();
    expect(fsTools(test, "both")).toEqual(["mcp_fs_read", "mcp_fs_write"]);
    const tool = test.hub.catalog.get("mcp_fs_read")!;
    expect(test.hub.catalog.grantSources(tool, test.caller("both"))).toEqual(["toolbox one", "toolbox two"]);
    expect(test.hub.catalog.toolboxes.namesGranting(tool)).toEqual(["one", "two"]);
    await test.hub.catalog.toolboxes.delete("one");
    expect(fsTools(test, "both")).toEqual(["mcp_fs_read"]);
    await test.hub.catalog.toolboxes.update("two", { tools: [] });
    expect(fsTools(test, "both")).toEqual([]);
  });
});

describe("a toolbox deleted while agents have it", () => {
  it("takes its tools away at once, is reported as unknown, and gives them back when it is there again", async () => {
    await using test = await open();
    await test.hub.catalog.toolboxes.delete("two");
    expect(fsTools(test, "only")).toEqual([]);
    expect((await test.call("mcp_fs_read", {}, "only")).outcome).toBe("not_granted");
    expect(test.hub.identity.agent("only").toolboxes).toEqual(["two"]);
    await test.hub.catalog.toolboxes.create("two", { tools: ["mcp_fs_write"] });
    expect(fsTools(test, "only")).toEqual(["mcp_fs_write"]);
    expect(test.hub.catalog.toolboxes.get("two").agents).toEqual(["both", "only"]);
  });

  it("ends no call that runs", async () => {
    await using test = await open();
    const call = test.call("run_shell", { command: "sleep 0.3; echo done" }, "only");
    await test.hub.catalog.toolboxes.delete("two");
    expect((await call).text).toContain("done");
  });
});

describe("a tool that disappears", () => {
  it("keeps its place in the toolbox, where it is reported, and is had again when it comes back", async () => {
    await using test = await open();
    const box = () => test.hub.catalog.toolboxes.get("one");
    expect(box().unknown).toEqual([]);
    await test.hub.upstream.update("fs", listing("write"));
    await test.hub.upstream.test("fs");
    expect(box()).toMatchObject({ tools: ["mcp_fs_read", "mcp_fs_write"], unknown: ["mcp_fs_read"] });
    expect(fsTools(test, "both")).toEqual(["mcp_fs_write"]);
    expect((await test.call("mcp_fs_read", {}, "both")).outcome).toBe("unknown_tool");
    await test.hub.upstream.update("fs", listing("read", "write"));
    await test.hub.upstream.test("fs");
    expect(box().unknown).toEqual([]);
    expect((await test.call("mcp_fs_read", { a: 1 }, "both")).text).toBe('{"a":1}');
  });

  it("with its server is known no more, and so are its patterns' matches", async () => {
    await using test = await open();
    await test.hub.catalog.toolboxes.create("all-of-it", { tools: ["mcp:fs:*"] });
    await test.hub.upstream.remove("fs");
    expect(test.hub.catalog.toolboxes.get("all-of-it").unmatched).toEqual(["mcp:fs:*"]);
    expect(test.hub.catalog.toolboxes.get("one").unknown).toEqual(["mcp_fs_read", "mcp_fs_write"]);
  });
});

describe("*", () => {
  it.each(["mcp_{server}_{tool}", "{server}_{tool}", "{server}__{tool}"])(
    "gives no tool of a server, whatever it is called (%s)",
    async (naming) => {
      await using test = await testHub({ settings: { naming }, agents: { everything: ["all"] } });
      // With the second template its tool could be taken for a custom tool.
      await test.hub.upstream.add("custom", listing("read"));
      await test.hub.upstream.settled();
      const foreign = test.hub.catalog.all().filter(({ origin }) => origin === "mcp:custom");
      expect(foreign).toHaveLength(1);
      expect(test.hub.catalog.visible(test.caller("everything"))).not.toContain(foreign[0]);
    },
  );
});
