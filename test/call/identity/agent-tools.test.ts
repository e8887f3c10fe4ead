import { describe, expect, test } from "vitest";
import { type TestHub, testHub } from "../../support/test-hub.ts";

const TOOLS = ["list_agents", "get_agent", "create_agent", "update_agent", "delete_agent"];

/** `boss` may manage agents and has the core floor, `recall` and a folder; `star` has every native tool. */
async function openManaged(): Promise<TestHub> {
  const it = await testHub({
    toolboxes: { managing: TOOLS, reading: ["recall"], risky: ["http_request", "set_secret"] },
    agents: { boss: ["managing", "reading"], star: ["all"], other: ["risky"] },
  });
  await it.hub.identity.updateAgent("boss", { folders: [{ path: "/srv/data", access: "read" }] });
  return it;
}

async function pending(it: TestHub) {
  return (await it.hub.questions.list({ state: "pending" })).at(-1);
}

async function agree(it: TestHub): Promise<string> {
  const question = await pending(it);
  await it.hub.questions.answer(question!.id, "once");
  return question!.prompt;
}

describe("the tools for agents", () => {
  test("are had by name only, by main agents, and have the scope admin", async () => {
    await using it = await openManaged();
    await it.hub.identity.createAgent("helper", { parent: "boss", toolboxes: ["managing"] });
    for (const name of TOOLS) {
      expect((await it.call(name, {}, "star")).outcome, name).toBe("not_granted");
      expect((await it.call(name, {}, "helper")).outcome, name).toBe("not_granted");
      expect(it.hub.catalog.get(name)).toMatchObject({
        scope: "admin",
        origin: "platform",
        domain: "agents",
      });
    }
    expect(TOOLS.filter((name) => it.hub.catalog.get(name)?.flags.destructive)).toEqual([
      "update_agent",
      "delete_agent",
    ]);
  });
});

describe("list_agents and get_agent", () => {
  test("show what each has and can call, and how many tokens it has, never one", async () => {
    await using it = await openManaged();
    const { token } = await it.hub.identity.createToken({ agent: "other", label: "laptop" });
    const listed = await it.call("list_agents", {}, "boss");
    expect(listed.text).toContain("other (main; toolboxes: risky)");
    const shown = await it.call("get_agent", { name: "other" }, "boss");
    expect(shown.structured).toMatchObject({ agent: { name: "other", context: "main" }, tokens: 1 });
    expect(shown.structured?.tools).toContain("set_secret");
    const everything = JSON.stringify([listed, shown]);
    expect(everything).not.toContain(token);
    expect(everything).not.toContain(token.slice(-4));
    expect((await it.call("get_agent", { name: "othr" }, "boss")).error?.message).toContain(
      "did you mean other?",
    );
  });
});

describe("create_agent", () => {
  test("gives what its creator has, without asking", async () => {
    await using it = await openManaged();
    const created = await it.call(
      "create_agent",
      {
        name: "helper",
        parent: "boss",
        description: "Looks things up.",
        toolboxes: ["reading"],
        grants: ["get_agent"],
        folders: [{ path: "/srv/data", access: "read" }],
      },
      "boss",
    );
    expect(created).toMatchObject({ outcome: "ok", structured: { agent: { context: "sub-agent" } } });
    expect(it.hub.identity.agent("helper")).toMatchObject({
      parentId: it.hub.identity.agent("boss").id,
      toolboxes: ["reading"],
      folders: [{ path: "/srv/data", access: "read" }],
    });
    expect(it.hub.identity.tokens()).toEqual([]);
    expect(await it.hub.questions.list()).toEqual([]);
  });

  test("asks for no more than a person can be shown, but for a toolbox by its name", async () => {
    await using it = await openManaged();
    const decoys = Array.from({ length: 20 }, (_, at) => `a_harmless_name_${at}`);
    const create = (grants: object) => it.call("create_agent", { name: "helper", ...grants }, "boss");
    expect(await create({ grants: [...decoys, "set_secret"] })).toMatchObject({
      outcome: "failed",
      text: expect.stringContaining("at most 20 can be approved at a time"),
    });
    expect(await it.hub.questions.list()).toEqual([]);
    expect((await create({ toolboxes: ["configurator"], grants: ["set_secret"] })).outcome).toBe(
      "needs_input",
    );
    const [question] = await it.hub.questions.list();
    expect(question!.prompt).toContain("with the toolboxes configurator, the tools set_secret?");
  });

  test.each([
    ["a toolbox with more", { toolboxes: ["risky"] }, "does not have http_request, set_secret itself"],
    ["every native tool", { toolboxes: ["all"] }, "does not have * itself"],
    ["a single tool", { grants: ["set_secret"] }, "does not have set_secret itself"],
    ["a pattern", { grants: ["mcp:github:*"] }, "does not have mcp:github:* itself"],
    [
      "a folder to write",
      { folders: [{ path: "/srv/data", access: "write" }] },
      "does not have folder /srv/data (write) itself",
    ],
    [
      "a folder below its own, where a link could lead anywhere",
      { folders: [{ path: "/srv/data/link", access: "read" }] },
      "does not have folder /srv/data/link (read) itself",
    ],
    ["another parent", { parent: "other" }, "would work for other and use its memory"],
  ])("asks a person about %s, and takes their word once", async (_, more, reason) => {
    await using it = await openManaged();
    const create = () => it.call("create_agent", { name: "helper", ...more }, "boss");
    expect((await create()).outcome).toBe("needs_input");
    expect(it.hub.identity.agents().map(({ name }) => name)).not.toContain("helper");
    expect(await agree(it)).toContain(reason);
    expect((await create()).outcome).toBe("ok");
    await it.hub.identity.deleteAgent("helper");
    expect((await create()).outcome).toBe("needs_input");
  });

  test("makes scouts with their toolbox, of which a person must allow what the creator lacks", async () => {
    await using it = await openManaged();
    const create = (args: object) =>
      it.call("create_agent", { name: "looker", scout: true, ...args }, "boss");
    expect((await create({})).error?.message).toContain("a scout works for another agent");
    const bare = await create({ parent: "boss", toolboxes: [] });
    expect(bare).toMatchObject({ outcome: "ok", structured: { agent: { context: "scout" } } });
  });

  test("asks nobody about what cannot be done", async () => {
    await using it = await openManaged();
    const refusal = async (args: object) => (await it.call("create_agent", args, "boss")).error?.message;
    expect(await refusal({ name: "other", toolboxes: ["all"] })).toContain("exists already");
    expect(await refusal({ name: "no good" })).toContain("no good");
    expect(await refusal({ name: "x", toolboxes: ["riski"] })).toContain("no toolbox is named riski");
    expect(await refusal({ name: "x", parent: "nobody" })).toContain("no agent is named nobody");
    expect(await refusal({ name: "x", folders: [{ path: "data", access: "read" }] })).toContain(
      "expected absolute paths",
    );
    expect(await it.hub.questions.list()).toEqual([]);
  });
});

describe("update_agent", () => {
  test("lets a parent hand on what it has, and take away", async () => {
    await using it = await openManaged();
    await it.hub.identity.createAgent("helper", { parent: "boss", toolboxes: ["risky"] });
    const update = (change: object) => it.call("update_agent", { name: "helper", ...change }, "boss");
    expect((await update({ toolboxes: ["risky", "reading"] })).outcome).toBe("ok");
    expect((await update({ toolboxes: [] })).outcome).toBe("ok");
    expect(it.hub.identity.agent("helper").toolboxes).toEqual([]);
    expect((await update({ toolboxes: ["risky"] })).outcome).toBe("needs_input");
    expect((await pending(it))?.prompt).toContain("It would gain the toolboxes risky.");
    expect((await update({})).error?.message).toBe("Nothing to change was given.");
  });

  test("asks before it changes the caller itself or agents that do not work for it", async () => {
    await using it = await openManaged();
    expect((await it.call("update_agent", { name: "boss", grants: ["recall"] }, "boss")).outcome).toBe(
      "needs_input",
    );
    expect(await agree(it)).toContain("boss would change itself");
    const take = () => it.call("update_agent", { name: "other", toolboxes: [] }, "boss");
    expect((await take()).outcome).toBe("needs_input");
    expect(it.hub.identity.agent("other").toolboxes).toEqual(["risky"]);
    expect(await agree(it)).toContain("other does not work for boss");
    expect((await take()).outcome).toBe("ok");
    expect(it.hub.identity.agent("other").toolboxes).toEqual([]);
  });
});

describe("delete_agent", () => {
  test("deletes a sub-agent that nobody has connected, and asks about every other", async () => {
    await using it = await openManaged();
    const remove = (name: string) => it.call("delete_agent", { name }, "boss");
    for (const name of ["idle", "connected"]) await it.hub.identity.createAgent(name, { parent: "boss" });
    await it.hub.identity.createToken({ agent: "connected" });
    expect((await remove("idle")).outcome).toBe("ok");
    expect((await remove("connected")).outcome).toBe("needs_input");
    expect((await remove("other")).outcome).toBe("needs_input");
    await agree(it);
    expect((await remove("other")).outcome).toBe("ok");
    expect(it.hub.identity.agents().map(({ name }) => name)).toEqual(["boss", "connected", "star"]);
    expect((await remove("boss")).error?.message).toBe("You cannot delete yourself.");
    await it.hub.identity.createAgent("below", { parent: "connected" });
    expect((await remove("connected")).error?.message).toContain("is the parent of below");
  });

  test("says which of the tools an agent was given are not known, and keeps them", async () => {
    await using it = await openManaged();
    const args = { name: "later", grants: ["no_such_tool", "mcp:none:*"] };
    await it.call("create_agent", args, "boss");
    await agree(it);
    const created = await it.call("create_agent", args, "boss");
    expect(created).toMatchObject({
      outcome: "ok",
      structured: { unknown: ["no_such_tool"], unmatched: ["mcp:none:*"] },
    });
    expect(created.text).toContain("Not known (kept, in case they come): no_such_tool");
    expect((await it.call("get_agent", { name: "later" }, "boss")).text).toContain(
      "Matches no tool yet: mcp:none:*",
    );
    expect(it.hub.identity.agent("later").grants).toEqual(args.grants);
  });
});
