import { join } from "node:path";
import { expect, test } from "vitest";
import { callStore } from "../../../../src/call/audit/call-table.ts";
import { systemClock } from "../../../../src/lib/clock.ts";
import { connect } from "../../../../src/machine/db/database.ts";
import { migrate } from "../../../../src/machine/db/migrate.ts";
import { type DatabaseSync, openDatabaseSync } from "../../../../src/machine/db/sqlite/database-sync.ts";
import { sqliteDialect } from "../../../../src/machine/db/sqlite/dialect.ts";
import { PatientSqliteDriver } from "../../../../src/machine/db/sqlite/driver.ts";
import { withCachedStatements } from "../../../../src/machine/db/sqlite/statements.ts";
import { tempHome } from "../../../support/temp-home.ts";
import { call } from "../records.ts";

/** Counts how often each text is prepared. */
function counting(database: DatabaseSync) {
  const prepared: string[] = [];
  const counted: DatabaseSync = {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare: (sql) => {
      prepared.push(sql);
      return database.prepare(sql);
    },
  };
  return { prepared, counted };
}

test("statements that write records of calls are prepared once, however many rows come together", async () => {
  await using home = await tempHome();
  const file = join(home.path, "toolkeep.db");
  const dialect = await sqliteDialect(file);
  const { prepared, counted } = counting(await openDatabaseSync(file));
  const kysely = {
    ...dialect.kysely,
    createDriver: () => new PatientSqliteDriver({ database: withCachedStatements(counted) }, file),
  };
  const database = connect({ ...dialect, kysely });
  await migrate(database, systemClock);
  const calls = callStore(database);
  for (let round = 0; round < 3; round++) {
    const plain = Array.from({ length: 73 }, (_, at) => call(`call_plain_${round}_${at}`));
    const failed = plain.map(({ id }) => call(`${id}_failed`, { error: "it broke" }));
    await calls.put([...plain, ...failed]);
  }
  const inserts = prepared.filter((sql) => sql.startsWith('insert into "calls"'));
  // 64, 8 and 1 rows, with and without what most records do not have.
  expect(inserts).toHaveLength(6);
  expect(new Set(inserts).size).toBe(6);
  await database.close();
});

test("of long statements only a few are kept", async () => {
  const { prepared, counted } = counting(await openDatabaseSync(":memory:"));
  const database = withCachedStatements(counted);
  const long = (rows: number) => `select 1 where 1 in (${Array(rows).fill("1").join(", ")})`;
  for (let rows = 2_000; rows < 2_009; rows++) database.prepare(long(rows));
  database.prepare(long(2_008));
  expect(prepared).toHaveLength(9);
  database.prepare(long(2_000));
  expect(prepared).toHaveLength(10);
  database.close();
});
