import { join } from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { systemClock } from "../../../../src/lib/clock.ts";
import { connect } from "../../../../src/machine/db/database.ts";
import { migrate } from "../../../../src/machine/db/migrate.ts";
import { openDatabaseSync } from "../../../../src/machine/db/sqlite/database-sync.ts";
import { sqliteDialect } from "../../../../src/machine/db/sqlite/dialect.ts";
import { accessTables } from "../../../support/access-tables.ts";
import { tempHome } from "../../../support/temp-home.ts";
import { agent } from "../records.ts";

async function openDatabase(home: string) {
  const database = connect(await sqliteDialect(join(home, "toolkeep.db")));
  await migrate(database, systemClock);
  return { database, agents: accessTables({ database }).agents };
}

test("a full disk is STORE_UNAVAILABLE, keeps what was written, and passes", async () => {
  await using home = await tempHome();
  const { database, agents } = await openDatabase(home.path);
  const pages = (count: number) =>
    database.query((db) => sql`pragma max_page_count = ${sql.lit(count)}`.execute(db));
  // The smallest SQLite allows is the size the file has now.
  await pages(1);
  await agents.create(agent("small")).catch(() => {});
  const before = await agents.list();

  const tooBig = agent("big", { description: "x".repeat(1_000_000) });
  await expect(agents.create(tooBig)).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
    message: expect.stringMatching(/toolkeep\.db .*full/),
  });
  expect(await agents.list()).toEqual(before);

  await pages(1_000_000);
  await agents.create(tooBig);
  expect(await agents.byName("big")).toEqual(tooBig);
  await database.close();
});

test("a write waits for another process that is writing, without blocking the thread", async () => {
  await using home = await tempHome();
  const { database, agents } = await openDatabase(home.path);
  const other = await openDatabaseSync(join(home.path, "toolkeep.db"));
  other.exec("begin immediate");
  const creating = agents.create(agent("ada"));
  await new Promise((resolve) => setTimeout(resolve, 50));
  other.exec("commit");
  await creating;
  expect(await agents.list()).toEqual([agent("ada")]);
  other.close();
  await database.close();
});
