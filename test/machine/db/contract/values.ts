import { expect, test } from "vitest";
import { openServerTables } from "../../../../src/servers/tables/server-tables.ts";
import { accessTables } from "../../../support/access-tables.ts";
import { callTables } from "../../../support/call-tables.ts";
import { agent, call, server } from "../records.ts";
import type { FreshStore } from "../stores.ts";

export function valuesContract(fresh: FreshStore): void {
  test("every script, quotes and line ends come back unchanged", async () => {
    await using t = await fresh();
    const description = `Zürich 東京 🦊 العربية "quoted" 'single' \\ back ; -- \r\n\t %s $1 ? {}`;
    await accessTables(t.store).agents.create(agent("ünïcødé", { description, grants: [description] }));
    const stored = await accessTables(t.store).agents.byName("ünïcødé");
    expect([stored?.description, stored?.grants]).toEqual([description, [description]]);
  });

  test("a NUL or half a surrogate pair in hostile text neither breaks nor shortens a record", async () => {
    await using t = await fresh();
    await callTables(t.store).calls.put([call("c1", { requested: "before\0after \ud800 end" })]);
    expect((await callTables(t.store).calls.list({ limit: 1 }))[0]?.requested).toBe(
      "before\uFFFDafter \uFFFD end",
    );
    expect(await accessTables(t.store).agents.byName("\0")).toBeUndefined();
  });

  test("a value of several megabytes comes back whole", async () => {
    await using t = await fresh();
    const sealed = new Uint8Array(3_000_000).fill(7);
    const instructions = "é".repeat(2_000_000);
    await openServerTables(t.store.database).servers.create(server("big", { sealed, instructions }));
    const stored = await openServerTables(t.store.database).servers.byName("big");
    expect(stored?.instructions === instructions).toBe(true);
    expect(Buffer.compare(stored!.sealed!, sealed)).toBe(0);
  });

  test("text that looks like SQL is only text", async () => {
    await using t = await fresh();
    const name = `x'); drop table agents; --`;
    await accessTables(t.store).agents.create(agent(name));
    expect(await accessTables(t.store).agents.list()).toHaveLength(1);
  });

  test("many writes at once all arrive", async () => {
    await using t = await fresh();
    const stores = [t.store, await t.another()];
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        accessTables(stores[index % 2]!).agents.create(agent(`a${index}`)),
      ),
    );
    expect(await accessTables(t.store).agents.list()).toHaveLength(60);
  });
}
