import { expect, test } from "vitest";
import type { PinRecord } from "../../../../src/servers/records.ts";
import { openServerTables } from "../../../../src/servers/tables/server-tables.ts";
import { NOW, server } from "../records.ts";
import type { FreshStore } from "../stores.ts";

export const pin = (key: string, change: Partial<PinRecord> = {}): PinRecord => ({
  serverId: "srv_fs",
  kind: "tool",
  key,
  accepted: "a",
  acceptedAs: null,
  held: null,
  heldAs: null,
  rejected: null,
  changedAt: NOW,
  ...change,
});

export function pinsContract(fresh: FreshStore): void {
  test("pins are put, replaced and taken away at once; what holds something back is found without a server", async () => {
    await using t = await fresh();
    const { pins } = openServerTables(t.store.database);
    await openServerTables(t.store.database).servers.create(server("fs"));
    const held = pin("b", { held: "x", heldAs: { name: "b" }, acceptedAs: { name: "b", old: true } });
    await pins.change("srv_fs", [pin(""), pin("a"), held, pin("b", { kind: "prompt" })], []);
    expect(await pins.open()).toEqual([pin(""), held]);
    const accepted = await pins.accepted();
    expect(accepted).toHaveLength(4);
    expect(accepted).toContainEqual({ serverId: "srv_fs", kind: "tool", key: "a", accepted: "a" });
    expect((await pins.of("srv_fs")).map(({ kind, key }) => [kind, key])).toEqual([
      ["prompt", "b"],
      ["tool", ""],
      ["tool", "a"],
      ["tool", "b"],
    ]);
    await pins.change("srv_fs", [pin("b", { accepted: "x", rejected: "y" })], [{ kind: "tool", key: "a" }]);
    expect(await pins.of("srv_fs")).toEqual([
      pin("b", { kind: "prompt" }),
      pin(""),
      pin("b", { accepted: "x", rejected: "y" }),
    ]);
    await pins.deleteAll("srv_fs");
    expect(await pins.of("srv_fs")).toEqual([]);
  });

  test("pins are listed in the same order everywhere, keep whatever a server says, and go with their server", async () => {
    await using t = await fresh();
    const { pins } = openServerTables(t.store.database);
    await openServerTables(t.store.database).servers.create(server("fs"));
    await openServerTables(t.store.database).servers.create(server("git"));
    const heldAs = { description: "a\u0000b \ud800 \u200b", default: null, "": [1.5] };
    const keys = ["B", "Ä", "_b", "a", "a-b", "ab"];
    await pins.change(
      "srv_fs",
      keys.map((key) => pin(key, { held: "x", heldAs })),
      [],
    );
    const sorted = keys.toSorted();
    expect((await pins.of("srv_fs")).map(({ key }) => key)).toEqual(sorted);
    expect((await pins.open()).map(({ key }) => key)).toEqual(sorted);
    expect((await pins.of("srv_fs"))[0]!.heldAs).toEqual(heldAs);
    await pins.change("srv_git", [pin("a", { serverId: "srv_git" })], []);
    await openServerTables(t.store.database).servers.delete("srv_fs");
    expect([await pins.of("srv_fs"), await pins.open()]).toEqual([[], []]);
    expect(await pins.of("srv_git")).toHaveLength(1);
  });

  test("as many pins as a server has tools are put and taken away at once", async () => {
    await using t = await fresh();
    await openServerTables(t.store.database).servers.create(server("fs"));
    const many = Array.from({ length: 1_100 }, (_, at) => pin(`t${at}`));
    await openServerTables(t.store.database).pins.change(
      "srv_fs",
      [...many, pin("t0", { kind: "prompt" })],
      [],
    );
    await openServerTables(t.store.database).pins.change("srv_fs", [pin("new")], many);
    const left = (await openServerTables(t.store.database).pins.of("srv_fs")).map(({ kind, key }) => [
      kind,
      key,
    ]);
    expect(left).toEqual([
      ["prompt", "t0"],
      ["tool", "new"],
    ]);
  });

  test("what a tool can do is kept until it is taken back, and goes with its server", async () => {
    await using t = await fresh();
    const { toolCapabilities } = openServerTables(t.store.database);
    await openServerTables(t.store.database).servers.create(server("fs"));
    const record = { serverId: "srv_fs", originalName: "a", capabilities: ["net"], setAt: NOW } as const;
    await toolCapabilities.put({ ...record, capabilities: [] });
    await toolCapabilities.put(record);
    expect(await toolCapabilities.list()).toEqual([record]);
    await toolCapabilities.delete("srv_fs", "a");
    await toolCapabilities.delete("srv_fs", "a");
    expect(await toolCapabilities.list()).toEqual([]);
    await toolCapabilities.put(record);
    await openServerTables(t.store.database).servers.delete("srv_fs");
    expect(await toolCapabilities.list()).toEqual([]);
  });
}
