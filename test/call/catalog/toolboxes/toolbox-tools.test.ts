import { describe, expect, it } from "vitest";
import { type TestHub, testHub } from "../../../support/test-hub.ts";

const MANAGING = ["list_toolboxes", "create_toolbox", "update_toolbox", "delete_toolbox"];

/** A hub with an agent that manages toolboxes and has the toolbox `reading` itself. */
async function open(): Promise<TestHub> {
  return testHub({
    toolboxes: { managing: MANAGING, reading: ["mcp_fs_read"], writing: ["mcp_fs_write"] },
    agents: { chief: ["managing", "reading"], other: ["writing"] },
  });
}

const toolboxOf = (test: TestHub, name: string) => test.hub.catalog.toolboxes.get(name);
const pending = async (test: TestHub) => (await test.hub.questions.list({ state: "pending" })).at(-1)!;

describe("create_toolbox", () => {
  it("makes a toolbox of what the agent has itself, and reports names that no tool has", async () => {
    await using test = await open();
    const args = { name: "mine", description: "to look", tools: ["read_file", "mcp_fs_read"] };
    const outcome = await test.call("create_toolbox", args, "chief");
    expect(outcome).toMatchObject({
      outcome: "ok",
      structured: { toolbox: { name: "mine", unknown: ["mcp_fs_read"], agents: [] } },
    });
    expect(outcome.text).toContain("Not known (kept, in case they come): mcp_fs_read");
    expect(toolboxOf(test, "mine")).toMatchObject({ description: "to look", builtin: false });
  });

  it("asks a person first where it would hold what the agent does not have, and is bound to what they saw", async () => {
    await using test = await open();
    const args = { name: "more", tools: ["read_file", "mcp_fs_write", "*"] };
    const waits = await test.call("create_toolbox", args, "chief");
    expect(waits.outcome).toBe("needs_input");
    expect((await pending(test)).prompt).toBe(
      "May chief create the toolbox more? It would hold read_file, mcp_fs_write, *. chief does not have *, mcp_fs_write itself.",
    );
    await test.hub.questions.answer((await pending(test)).id, "once");
    const other = await test.call("create_toolbox", { ...args, tools: ["run_shell", "mcp:*"] }, "chief");
    expect(other.outcome).toBe("needs_input");
    expect((await test.call("create_toolbox", args, "chief")).outcome).toBe("ok");
    expect(toolboxOf(test, "more").tools).toEqual(["*", "mcp_fs_write", "read_file"]);
  });

  it("asks for no more than a person can be shown", async () => {
    await using test = await open();
    const decoys = Array.from({ length: 20 }, (_, at) => `a_harmless_name_${at}`);
    const args = { name: "more", tools: [...decoys, "mcp_fs_write"] };
    expect(await test.call("create_toolbox", args, "chief")).toMatchObject({
      outcome: "failed",
      text: expect.stringContaining("at most 20 can be approved at a time"),
    });
    expect(await test.hub.questions.list({ state: "pending" })).toEqual([]);
  });

  it("takes a person's no for an answer", async () => {
    await using test = await open();
    const args = { name: "more", tools: ["mcp_fs_write"] };
    await test.call("create_toolbox", args, "chief");
    await test.hub.questions.answer((await pending(test)).id, "reject");
    expect(await test.call("create_toolbox", args, "chief")).toMatchObject({
      outcome: "failed",
      text: expect.stringContaining("A person rejected this"),
    });
    expect(test.hub.catalog.toolboxes.byName.has("more")).toBe(false);
  });

  it("refuses taken and unusable names, and what is no name of a tool", async () => {
    await using test = await open();
    for (const [args, message] of [
      [{ name: "all", tools: [] }, "already exists"],
      [{ name: "Bad Name", tools: [] }, "name"],
      [{ name: "fine", tools: ["Read File"] }, "full tool names"],
    ] as const) {
      const outcome = await test.call("create_toolbox", args, "chief");
      expect([outcome.outcome, outcome.text]).toEqual(["failed", expect.stringContaining(message)]);
    }
  });
});

describe("update_toolbox", () => {
  it("adds and removes, replaces, and keeps what is not said", async () => {
    await using test = await open();
    await test.call("create_toolbox", { name: "mine", description: "d", tools: ["read_file"] }, "chief");
    await test.call("update_toolbox", { name: "mine", add: ["grep"], remove: ["read_file"] }, "chief");
    expect(toolboxOf(test, "mine")).toMatchObject({ description: "d", tools: ["grep"] });
    await test.call("update_toolbox", { name: "mine", description: "e" }, "chief");
    expect(toolboxOf(test, "mine")).toMatchObject({ description: "e", tools: ["grep"] });
    await test.call("update_toolbox", { name: "mine", tools: [] }, "chief");
    expect(toolboxOf(test, "mine").tools).toEqual([]);
    expect(await test.call("update_toolbox", { name: "mine", remove: ["grep"] }, "chief")).toMatchObject({
      outcome: "failed",
      text: "mine does not hold grep.",
    });
  });

  it("asks a person before any agent gains anything", async () => {
    await using test = await open();
    const outcome = await test.call("update_toolbox", { name: "reading", add: ["grep"] }, "chief");
    expect(outcome.outcome).toBe("needs_input");
    expect((await pending(test)).prompt).toContain("chief would gain them.");
    expect(toolboxOf(test, "reading").tools).toEqual(["mcp_fs_read"]);
    const given = await test.call("update_toolbox", { name: "writing", add: ["grep"] }, "chief");
    expect(given.outcome).toBe("needs_input");
    expect((await pending(test)).prompt).toContain("other would gain them.");
    expect(toolboxOf(test, "writing").tools).toEqual(["mcp_fs_write"]);
  });

  it("does not bring back what a person takes out at the same time", async () => {
    await using test = await open();
    let taken: Promise<unknown> | undefined;
    test.hub.events.on("call.started", () => {
      taken = test.hub.catalog.toolboxes.update("writing", { tools: [] });
    });
    const outcome = await test.call("update_toolbox", { name: "writing", description: "to write" }, "chief");
    await taken;
    expect(outcome).toMatchObject({ outcome: "failed", text: expect.stringContaining("was changed") });
    expect(toolboxOf(test, "writing").tools).toEqual([]);
  });

  it("may take away without asking", async () => {
    await using test = await open();
    const args = { name: "writing", remove: ["mcp_fs_write"] };
    expect(await test.call("update_toolbox", args, "chief")).toMatchObject({
      outcome: "ok",
      text: "Changed writing. Agents that have it: other.",
    });
  });

  it("does not change what is built in", async () => {
    await using test = await open();
    for (const [tool, args] of [
      ["update_toolbox", { name: "all", add: ["mcp_fs_read"] }],
      ["delete_toolbox", { name: "research" }],
    ] as const) {
      expect(await test.call(tool, args, "chief")).toMatchObject({
        outcome: "failed",
        text: expect.stringContaining("is a built-in toolbox"),
      });
    }
  });
});

describe("delete_toolbox", () => {
  it("deletes what no agent has at once, and asks a person where agents would lose tools", async () => {
    await using test = await open();
    await test.call("create_toolbox", { name: "mine", tools: [] }, "chief");
    expect((await test.call("delete_toolbox", { name: "mine" }, "chief")).outcome).toBe("ok");
    expect((await test.call("delete_toolbox", { name: "writing" }, "chief")).outcome).toBe("needs_input");
    expect((await pending(test)).prompt).toBe(
      "May chief delete the toolbox writing? other would lose its tools.",
    );
    await test.hub.questions.answer((await pending(test)).id, "once");
    expect(await test.call("delete_toolbox", { name: "writing" }, "chief")).toMatchObject({
      outcome: "ok",
      structured: { agents: ["other"] },
    });
    expect(test.hub.catalog.toolboxes.byName.has("writing")).toBe(false);
  });
});

describe("list_toolboxes", () => {
  it("says what each is for and who has it; one by name with all its tools", async () => {
    await using test = await open();
    const all = await test.call("list_toolboxes", {}, "chief");
    expect(all.text).toContain("all (built-in; every native tool): ");
    expect(all.text).toContain("writing (1 tools; agents: other)");
    const one = await test.call("list_toolboxes", { name: "writing" }, "chief");
    expect(one.structured).toEqual({
      toolbox: {
        name: "writing",
        description: "",
        tools: ["mcp_fs_write"],
        builtin: false,
        unknown: ["mcp_fs_write"],
        unmatched: [],
        agents: ["other"],
      },
    });
    expect(await test.call("list_toolboxes", { name: "writng" }, "chief")).toMatchObject({
      outcome: "failed",
      text: expect.stringContaining("did you mean writing?"),
    });
  });

  it("tells models nothing of what is planned, and people all of it", async () => {
    await using test = await open();
    const { planned } = toolboxOf(test, "email");
    expect(planned).toContain("send_email");
    const outcomes = [
      await test.call("list_toolboxes", {}, "chief"),
      await test.call("list_toolboxes", { name: "email" }, "chief"),
      await test.call("list_tools", { toolbox: "email", scope: "all" }, "chief"),
    ];
    expect(JSON.stringify(outcomes)).not.toContain("send_email");
    expect(outcomes[0]!.structured).toMatchObject({
      toolboxes: expect.arrayContaining([expect.objectContaining({ name: "email", tools: 0 })]),
    });
  });
});

it("managing toolboxes is granted by name only, and to main agents only", async () => {
  await using test = await testHub({
    toolboxes: { managing: MANAGING },
    agents: { everything: ["all"], chief: ["managing"] },
  });
  await test.hub.identity.createAgent("helper", { parent: "chief", toolboxes: ["managing"] });
  for (const tool of MANAGING) {
    expect((await test.call(tool, {}, "everything")).outcome).toBe("not_granted");
    const refused = await test.call(tool, {}, "helper");
    expect([refused.outcome, refused.text]).toEqual([
      "not_granted",
      expect.stringContaining("it is for main agents only"),
    ]);
  }
});
