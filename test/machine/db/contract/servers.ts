import { expect, test } from "vitest";
import type { ServerOfferRecord } from "../../../../src/servers/records.ts";
import { openServerTables } from "../../../../src/servers/tables/server-tables.ts";
import { NOW, server } from "../records.ts";
import type { FreshStore } from "../stores.ts";

const tool = (serverId: string, originalName: string, description = "") => ({
  serverId,
  originalName,
  definition: { name: originalName, description, inputSchema: { type: "object" } },
});

const offer = (serverId: string, kind: ServerOfferRecord["kind"], name: string): ServerOfferRecord => ({
  serverId,
  kind,
  definition: { name },
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
      asksBack: true,
      auth: Uint8Array.from({ length: 256 }, (_, byte) => 255 - byte),
      listedAt: NOW,
      lastError: "spawn ENOENT",
    });
    await openServerTables(t.store.database).servers.create(full);
    await openServerTables(t.store.database).servers.create(
      server("declared", { origin: "file", config: null }),
    );
    expect(await openServerTables(t.store.database).servers.byName("fs")).toEqual(full);
    expect(
      (await openServerTables(t.store.database).servers.list()).map((each) => [each.name, each.config]),
    ).toEqual([
      ["declared", null],
      ["fs", full.config],
    ]);
  });

  test("a server is renamed and keeps its prefix; a taken name is refused", async () => {
    await using t = await fresh();
    const { servers } = openServerTables(t.store.database);
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
    const { servers } = openServerTables(t.store.database);
    await servers.create(server("b"));
    await servers.create(server("a"));
    const z = { ...tool("srv_b", "z"), fingerprint: "f" };
    await servers.replaceTools("srv_b", [z, tool("srv_b", "a")]);
    await servers.replaceTools("srv_a", [tool("srv_a", "m")]);
    expect(await servers.tools("srv_b")).toEqual([z, tool("srv_b", "a")]);
    expect((await servers.tools()).map((each) => each.originalName)).toEqual(["m", "z", "a"]);
  });

  test("a new list replaces the old one whole, however long", async () => {
    await using t = await fresh();
    const { servers } = openServerTables(t.store.database);
    await servers.create(server("big"));
    await servers.replaceTools("srv_big", [tool("srv_big", "old")]);
    const many = Array.from({ length: 1203 }, (_, index) => tool("srv_big", `t${index}`));
    await servers.replaceTools("srv_big", many);
    expect(await servers.tools("srv_big")).toEqual(many);
    await servers.replaceTools("srv_big", []);
    expect(await servers.tools("srv_big")).toEqual([]);
  });

  test("what signing in left behind is replaced only while it is what it was", async () => {
    await using t = await fresh();
    const record = server("fs", { auth: null });
    await openServerTables(t.store.database).servers.create(record);
    const [one, two, three] = [Uint8Array.of(1, 0, 255), Uint8Array.of(2), Uint8Array.of(3)];
    const { servers } = openServerTables(t.store.database);
    expect(await servers.changeAuth(record.id, null, one)).toBe(true);
    expect(await servers.changeAuth(record.id, null, two)).toBe(false);
    expect(await servers.changeAuth(record.id, one, two)).toBe(true);
    expect(await servers.changeAuth(record.id, one, three)).toBe(false);
    expect((await servers.byName("fs"))?.auth).toEqual(two);
    expect(await servers.changeAuth(record.id, two, null)).toBe(true);
    expect(await servers.changeAuth("srv_gone", null, one)).toBe(false);
  });

  test("tools and offers of a server that does not exist are refused", async () => {
    await using t = await fresh();
    const tools = openServerTables(t.store.database).servers.replaceTools("srv_gone", [
      tool("srv_gone", "x"),
    ]);
    await expect(tools).rejects.toMatchObject({ code: "NOT_FOUND" });
    const offers = openServerTables(t.store.database).servers.replaceOffers("srv_gone", [
      offer("srv_gone", "prompt", "x"),
    ]);
    await expect(offers).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("offers keep their kind and the order the server gave, of one server or of all", async () => {
    await using t = await fresh();
    const { servers } = openServerTables(t.store.database);
    await servers.create(server("b"));
    await servers.create(server("a"));
    const offers = [
      offer("srv_b", "prompt", "z"),
      offer("srv_b", "prompt", "a"),
      offer("srv_b", "resource", "m"),
      offer("srv_b", "resource_template", "b"),
    ];
    await servers.replaceOffers("srv_b", offers);
    await servers.replaceOffers("srv_a", [offer("srv_a", "resource", "x")]);
    expect(await servers.offers("srv_b")).toEqual(offers);
    expect(await servers.offers()).toEqual([offer("srv_a", "resource", "x"), ...offers]);
  });

  test("new offers replace the old ones of every kind, however many", async () => {
    await using t = await fresh();
    const { servers } = openServerTables(t.store.database);
    await servers.create(server("big"));
    await servers.replaceOffers("srv_big", [offer("srv_big", "prompt", "old")]);
    const many = Array.from({ length: 1203 }, (_, index) => offer("srv_big", "resource", `r${index}`));
    await servers.replaceOffers("srv_big", many);
    expect(await servers.offers("srv_big")).toEqual(many);
    await servers.replaceOffers("srv_big", []);
    expect(await servers.offers("srv_big")).toEqual([]);
  });

  test("deleting a server takes its tools and offers and leaves its tool names taken", async () => {
    await using t = await fresh();
    const { servers, toolNames } = openServerTables(t.store.database);
    await servers.create(server("fs"));
    await servers.replaceTools("srv_fs", [tool("srv_fs", "read")]);
    await servers.replaceOffers("srv_fs", [offer("srv_fs", "prompt", "review")]);
    await toolNames.add([{ serverId: "srv_fs", originalName: "read", name: "mcp_fs_read" }]);
    await servers.delete("srv_fs");
    expect(await servers.tools()).toEqual([]);
    expect(await servers.offers()).toEqual([]);
    expect(await toolNames.list()).toEqual([
      { serverId: "srv_fs", originalName: "read", name: "mcp_fs_read" },
    ]);
  });

  test("a tool name, once given, is never given again or changed", async () => {
    await using t = await fresh();
    const { toolNames } = openServerTables(t.store.database);
    const first = { serverId: "s1", originalName: "a.b", name: "mcp_s_a_b" };
    expect(await toolNames.add([first])).toEqual([first]);
    const added = await toolNames.add([
      { ...first, name: "another" },
      { serverId: "s2", originalName: "a_b", name: first.name },
      { serverId: "s2", originalName: "c", name: "mcp_s_c" },
      { serverId: "s2", originalName: "c", name: "mcp_s_c_again" },
    ]);
    expect(added).toEqual([first, { serverId: "s2", originalName: "c", name: "mcp_s_c" }]);
    expect(await toolNames.list()).toEqual(added);
  });

  test("adding names tells all names of the servers concerned, and nothing new is no change", async () => {
    await using t = await fresh();
    const { toolNames } = openServerTables(t.store.database);
    const name = (serverId: string, originalName: string) => ({
      serverId,
      originalName,
      name: `${serverId}_${originalName}`,
    });
    await toolNames.add([name("s1", "a"), name("s2", "b")]);
    expect(await toolNames.add([name("s2", "c")])).toEqual([name("s2", "b"), name("s2", "c")]);
    const revision = await t.store.revision();
    expect(await toolNames.add([name("s2", "b")])).toEqual([name("s2", "b"), name("s2", "c")]);
    expect(await toolNames.add([])).toEqual([]);
    expect(await t.store.revision()).toBe(revision);
  });

  test("renaming keeps the old names taken, and gives them back to the same server only", async () => {
    await using t = await fresh();
    const { toolNames } = openServerTables(t.store.database);
    const read = { serverId: "srv_fs", originalName: "read", name: "mcp_fs_read" };
    await toolNames.add([read]);
    await toolNames.rename("srv_fs", [{ originalName: "read", from: "mcp_fs_read", to: "mcp_files_read" }]);
    await toolNames.add([{ serverId: "srv_2", originalName: "read", name: "mcp_fs_read" }]);
    const names = async () => (await toolNames.list()).map(({ serverId, name }) => `${serverId} ${name}`);
    expect(await names()).toEqual(["formerly:srv_fs mcp_fs_read", "srv_fs mcp_files_read"]);
    await toolNames.rename("srv_fs", [{ originalName: "read", from: "mcp_files_read", to: "mcp_fs_read" }]);
    expect(await names()).toEqual(["formerly:srv_fs mcp_files_read", "srv_fs mcp_fs_read"]);
  });

  test("two processes adding the same names at once agree on one owner each", async () => {
    await using t = await fresh();
    const other = await t.another();
    const names = (serverId: string) =>
      Array.from({ length: 50 }, (_, index) => ({ serverId, originalName: `o${index}`, name: `n${index}` }));
    await Promise.all([
      openServerTables(t.store.database).toolNames.add(names("s1")),
      openServerTables(other.database).toolNames.add(names("s2").reverse()),
    ]);
    const stored = await openServerTables(t.store.database).toolNames.list();
    expect(new Set(stored.map((each) => each.name)).size).toBe(50);
    expect(stored).toHaveLength(50);
  });
}
