import { expect, test } from "vitest";
import { NOW, server } from "../records.ts";
import type { FreshStore } from "../stores.ts";

const tool = (serverId: string, originalName: string, description = "") => ({
  serverId,
  originalName,
  definition: { name: originalName, description, inputSchema: { type: "object" } },
});

export function serversContract(fresh: FreshStore): void {
  test("a server comes back as it was created, sealed bytes included", async () => {
    await using t = await fresh();
    const full = server("fs", {
      sealed: Uint8Array.from({ length: 256 }, (_, byte) => byte),
      envKeys: ["API_KEY"],
      headerKeys: ["Authorization"],
      enabled: false,
      status: "pending_approval",
      approvedFingerprint: "abc",
      addedBy: "agt_a",
      era: { era: "modern", version: "2026-07-28", at: NOW },
      instructions: "Be kind.",
      listedAt: NOW,
      lastError: "spawn ENOENT",
    });
    await t.store.servers.create(full);
    await t.store.servers.create(server("declared", { origin: "file", config: null }));
    expect(await t.store.servers.byName("fs")).toEqual(full);
    expect((await t.store.servers.list()).map((each) => [each.name, each.config])).toEqual([
      ["declared", null],
      ["fs", full.config],
    ]);
  });

  test("a server is renamed and keeps its prefix; a taken name is refused", async () => {
    await using t = await fresh();
    const { servers } = t.store;
    await servers.create(server("fs"));
    await servers.create(server("git"));
    await servers.update("srv_fs", { name: "files", sealed: null, enabled: false });
    expect(await servers.byName("files")).toEqual(server("fs", { name: "files", enabled: false }));
    await expect(servers.update("srv_git", { name: "files" })).rejects.toMatchObject({ code: "NAME_TAKEN" });
    await expect(servers.update("no", {})).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(servers.delete("no")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("tools keep the order the server gave, of one server or of all", async () => {
    await using t = await fresh();
    const { servers } = t.store;
    await servers.create(server("b"));
    await servers.create(server("a"));
    await servers.replaceTools("srv_b", [tool("srv_b", "z"), tool("srv_b", "a")]);
    await servers.replaceTools("srv_a", [tool("srv_a", "m")]);
    expect(await servers.tools("srv_b")).toEqual([tool("srv_b", "z"), tool("srv_b", "a")]);
    expect((await servers.tools()).map((each) => each.originalName)).toEqual(["m", "z", "a"]);
  });

  test("a new list replaces the old one whole, however long", async () => {
    await using t = await fresh();
    const { servers } = t.store;
    await servers.create(server("big"));
    await servers.replaceTools("srv_big", [tool("srv_big", "old")]);
    const many = Array.from({ length: 1203 }, (_, index) => tool("srv_big", `t${index}`));
    await servers.replaceTools("srv_big", many);
    expect(await servers.tools("srv_big")).toEqual(many);
    await servers.replaceTools("srv_big", []);
    expect(await servers.tools("srv_big")).toEqual([]);
  });

  test("tools of a server that does not exist are refused", async () => {
    await using t = await fresh();
    const tools = t.store.servers.replaceTools("srv_gone", [tool("srv_gone", "x")]);
    await expect(tools).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("deleting a server takes its tools and leaves its tool names taken", async () => {
    await using t = await fresh();
    const { servers, toolNames } = t.store;
    await servers.create(server("fs"));
    await servers.replaceTools("srv_fs", [tool("srv_fs", "read")]);
    await toolNames.add([{ serverId: "srv_fs", originalName: "read", name: "mcp_fs_read" }]);
    await servers.delete("srv_fs");
    expect(await servers.tools()).toEqual([]);
    expect(await toolNames.list()).toEqual([
      { serverId: "srv_fs", originalName: "read", name: "mcp_fs_read" },
    ]);
  });

  test("a tool name, once given, is never given again or changed", async () => {
    await using t = await fresh();
    const { toolNames } = t.store;
    const first = { serverId: "s1", originalName: "a.b", name: "mcp_s_a_b" };
    await toolNames.add([first]);
    await toolNames.add([
      { ...first, name: "another" },
      { serverId: "s2", originalName: "a_b", name: first.name },
      { serverId: "s2", originalName: "c", name: "mcp_s_c" },
      { serverId: "s2", originalName: "c", name: "mcp_s_c_again" },
    ]);
    expect(await toolNames.list()).toEqual([first, { serverId: "s2", originalName: "c", name: "mcp_s_c" }]);
  });

  test("two processes adding the same names at once agree on one owner each", async () => {
    await using t = await fresh();
    const other = await t.another();
    const names = (serverId: string) =>
      Array.from({ length: 50 }, (_, index) => ({ serverId, originalName: `o${index}`, name: `n${index}` }));
    await Promise.all([t.store.toolNames.add(names("s1")), other.toolNames.add(names("s2").reverse())]);
    const stored = await t.store.toolNames.list();
    expect(new Set(stored.map((each) => each.name)).size).toBe(50);
    expect(stored).toHaveLength(50);
  });
}
