import { expect, test } from "vitest";
import { openServerTables } from "../../../../src/servers/tables/server-tables.ts";
import { accessTables } from "../../../support/access-tables.ts";
import { todoLists } from "../../../support/todo-lists.ts";
import { agent, NOW, token, toolbox } from "../records.ts";
import type { FreshStore } from "../stores.ts";

export function accessContract(fresh: FreshStore): void {
  test("an agent comes back as it was created", async () => {
    await using t = await fresh();
    const ada = agent("ada", {
      description: "writes",
      toolboxes: ["research"],
      grants: ["mcp_fs_read"],
      folders: [{ path: "/srv/data", access: "write" }],
    });
    await accessTables(t.store).agents.create(ada);
    expect(await accessTables(t.store).agents.byName("ada")).toEqual(ada);
    expect(await accessTables(t.store).agents.byName("Ada")).toBeUndefined();
  });

  test("agents are listed by name, byte by byte", async () => {
    await using t = await fresh();
    for (const name of ["b", "a_1", "Z", "é", "a-1", "a"])
      await accessTables(t.store).agents.create(agent(name));
    expect((await accessTables(t.store).agents.list()).map((each) => each.name)).toEqual([
      "Z",
      "a",
      "a-1",
      "a_1",
      "b",
      "é",
    ]);
  });

  test("a taken agent name is refused on create and on rename, and says which", async () => {
    await using t = await fresh();
    await accessTables(t.store).agents.create(agent("ada"));
    await accessTables(t.store).agents.create(agent("bob"));
    const taken = { code: "NAME_TAKEN", message: 'An agent named "ada" already exists.' };
    await expect(
      accessTables(t.store).agents.create(agent("ada", { id: "agt_other" })),
    ).rejects.toMatchObject(taken);
    await expect(accessTables(t.store).agents.update("agt_bob", { name: "ada" })).rejects.toMatchObject(
      taken,
    );
    expect((await accessTables(t.store).agents.list()).map((each) => each.name)).toEqual(["ada", "bob"]);
  });

  test("of many creating the same agent at once exactly one succeeds", async () => {
    await using t = await fresh();
    const stores = [t.store, await t.another()];
    const attempts = Array.from({ length: 8 }, (_, index) =>
      accessTables(stores[index % 2]!).agents.create(agent("ada", { id: `agt_${index}` })),
    );
    const results = await Promise.allSettled(attempts);
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    expect(await accessTables(t.store).agents.list()).toHaveLength(1);
  });

  test("an update made for an earlier state is refused, and changes nothing", async () => {
    await using t = await fresh();
    const { agents, toolboxes } = accessTables(t.store);
    await agents.create(agent("ada", { grants: ["x"] }));
    await toolboxes.create(toolbox("box", { tools: ["x"] }));
    await agents.update("agt_ada", { grants: [], updatedAt: NOW + 1 }, NOW);
    await toolboxes.update("box", { tools: [], updatedAt: NOW + 1 }, NOW);
    const changed = { code: "CHANGED" };
    await expect(agents.update("agt_ada", { grants: ["x"] }, NOW)).rejects.toMatchObject(changed);
    await expect(toolboxes.update("box", { tools: ["x"] }, NOW)).rejects.toMatchObject(changed);
    expect(await agents.byName("ada")).toMatchObject({ grants: [], updatedAt: NOW + 1 });
    expect(await toolboxes.byName("box")).toMatchObject({ tools: [], updatedAt: NOW + 1 });
    await expect(agents.update("agt_no", {}, NOW)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(toolboxes.update("no", {}, NOW)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("an update changes only what it names, and an empty one nothing", async () => {
    await using t = await fresh();
    const ada = agent("ada", { description: "old", grants: ["x"] });
    await accessTables(t.store).agents.create(ada);
    await accessTables(t.store).agents.update(ada.id, { description: "new", updatedAt: NOW + 1 });
    await accessTables(t.store).agents.update(ada.id, {});
    expect(await accessTables(t.store).agents.byName("ada")).toEqual({
      ...ada,
      description: "new",
      updatedAt: NOW + 1,
    });
  });

  test("updating or deleting what is absent is NOT_FOUND", async () => {
    await using t = await fresh();
    const absent = { code: "NOT_FOUND" };
    await expect(accessTables(t.store).agents.update("no", { description: "" })).rejects.toMatchObject(
      absent,
    );
    await expect(accessTables(t.store).agents.update("no", {})).rejects.toMatchObject(absent);
    await expect(accessTables(t.store).agents.delete("no")).rejects.toMatchObject(absent);
    await expect(accessTables(t.store).tokens.delete("no")).rejects.toMatchObject(absent);
    await expect(accessTables(t.store).toolboxes.update("no", {})).rejects.toMatchObject(absent);
    await expect(accessTables(t.store).toolboxes.delete("no")).rejects.toMatchObject(absent);
  });

  test("deleting an agent takes its tokens, to-dos and its sub-agents' parent link", async () => {
    await using t = await fresh();
    const { agents, tokens } = accessTables(t.store);
    const todos = todoLists(t.store);
    await agents.create(agent("ada"));
    await agents.create(agent("child", { parentId: "agt_ada" }));
    await tokens.create(token("tok_1", { kind: "agent", agentId: "agt_ada" }));
    await tokens.create(token("tok_2"));
    await todos.put("agt_ada", "c1", [{ text: "x", status: "pending" }], NOW);

    await agents.delete("agt_ada");

    expect(await agents.list()).toEqual([agent("child")]);
    expect((await tokens.list()).map((each) => each.id)).toEqual(["tok_2"]);
    expect(await todos.get("agt_ada", "c1")).toEqual([]);
  });

  test("tokens are listed oldest first, with their scopes", async () => {
    await using t = await fresh();
    await accessTables(t.store).agents.create(agent("ada"));
    const second = token("tok_a", {
      kind: "agent",
      agentId: "agt_ada",
      scopes: ["files", "memory.read"],
      createdAt: NOW + 1,
      expiresAt: NOW + 9,
    });
    await accessTables(t.store).tokens.create(second);
    await accessTables(t.store).tokens.create(token("tok_b"));
    expect(await accessTables(t.store).tokens.list()).toEqual([token("tok_b"), second]);
    await accessTables(t.store).tokens.delete("tok_b");
    expect(await accessTables(t.store).tokens.list()).toEqual([second]);
  });

  test("a token for an agent that does not exist is refused", async () => {
    await using t = await fresh();
    const orphan = token("tok_1", { kind: "agent", agentId: "agt_gone" });
    await expect(accessTables(t.store).tokens.create(orphan)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await accessTables(t.store).tokens.list()).toEqual([]);
  });

  test("two tokens never share a hash", async () => {
    await using t = await fresh();
    await accessTables(t.store).tokens.create(token("tok_1", { hash: "same" }));
    await expect(accessTables(t.store).tokens.create(token("tok_2", { hash: "same" }))).rejects.toMatchObject(
      {
        code: "NAME_TAKEN",
      },
    );
  });

  test("touch notes the last use, never an earlier one, and forgives a deleted token", async () => {
    await using t = await fresh();
    await accessTables(t.store).tokens.create(token("tok_1"));
    await accessTables(t.store).tokens.touch("tok_1", NOW + 5);
    await accessTables(t.store).tokens.touch("tok_1", NOW + 3);
    await accessTables(t.store).tokens.touch("gone", NOW);
    expect((await accessTables(t.store).tokens.list())[0]?.lastUsedAt).toBe(NOW + 5);
  });

  test("a toolbox is created, changed, found and deleted", async () => {
    await using t = await fresh();
    const { toolboxes } = accessTables(t.store);
    await toolboxes.create(toolbox("mine"));
    await expect(toolboxes.create(toolbox("mine"))).rejects.toMatchObject({ code: "NAME_TAKEN" });
    await toolboxes.update("mine", { tools: ["*"], updatedAt: NOW + 1 });
    expect(await toolboxes.byName("mine")).toEqual(toolbox("mine", { tools: ["*"], updatedAt: NOW + 1 }));
    await toolboxes.delete("mine");
    expect(await toolboxes.list()).toEqual([]);
  });

  test("built-in toolboxes are created, updated and withdrawn; custom ones stay", async () => {
    await using t = await fresh();
    const { toolboxes } = accessTables(t.store);
    const builtin = (name: string, tools: string[], at = NOW) =>
      toolbox(name, { tools, builtin: true, createdAt: at, updatedAt: at });
    await toolboxes.create(toolbox("mine"));
    await toolboxes.putBuiltin([builtin("all", ["*"]), builtin("ops", ["x"])]);
    await toolboxes.putBuiltin([builtin("all", ["*", "y"], NOW + 1)]);
    expect(await toolboxes.list()).toEqual([
      { ...builtin("all", ["*", "y"]), updatedAt: NOW + 1 },
      toolbox("mine"),
    ]);
    await toolboxes.putBuiltin([]);
    expect(await toolboxes.list()).toEqual([toolbox("mine")]);
  });

  test("the revision grows with every change, also for another process, and with nothing else", async () => {
    await using t = await fresh();
    const other = await t.another();
    const all = [toolbox("all", { builtin: true })];
    await accessTables(t.store).toolboxes.putBuiltin(all);
    await openServerTables(t.store.database).toolNames.add([
      { serverId: "s", originalName: "t", name: "mcp_s_t" },
    ]);
    await accessTables(t.store).tokens.create(token("tok_1"));
    const before = await other.revision();

    await accessTables(t.store).toolboxes.putBuiltin(all);
    await openServerTables(t.store.database).toolNames.add([
      { serverId: "s", originalName: "t", name: "mcp_s_t" },
    ]);
    await accessTables(t.store).tokens.touch("tok_1", NOW);
    await expect(accessTables(t.store).agents.delete("no")).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await other.revision()).toBe(before);

    await accessTables(t.store).agents.create(agent("ada"));
    await accessTables(t.store).tokens.delete("tok_1");
    await accessTables(t.store).toolboxes.create(toolbox("mine"));
    expect(await other.revision()).toBe(before + 3);
  });
}
