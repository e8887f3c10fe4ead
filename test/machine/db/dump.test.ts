import { describe, expect, test } from "vitest";
import { hasPostgres } from "../../support/postgres.ts";
import { fill } from "./contract/dump.ts";
import { type FreshStore, postgresStore, sqliteStore } from "./stores.ts";

describe.runIf(hasPostgres())("a backup moves between databases", () => {
  const ways: [string, FreshStore, FreshStore][] = [
    ["from SQLite to PostgreSQL", sqliteStore, postgresStore],
    ["from PostgreSQL to SQLite", postgresStore, sqliteStore],
  ];

  test.each(ways)("%s, byte for byte", async (_, freshFrom, freshTo) => {
    await using from = await freshFrom();
    await using to = await freshTo();
    await fill(from.store);
    const dump = JSON.stringify(await from.store.dump());
    await to.store.load(JSON.parse(dump));
    expect(JSON.stringify(await to.store.dump())).toBe(dump);
  });
});
