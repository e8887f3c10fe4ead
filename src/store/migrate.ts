import type { Transaction } from "kysely";
import { ToolkeepError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Database } from "./database.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./migrations/index.ts";
import type { Schema } from "./schema.ts";

/**
 * Brings the schema up to date: all missing steps or none. Several processes may do it at once; one does the work
 * and the others wait. Throws STORE_NEWER, changing nothing, for a store that a later version wrote.
 */
export async function migrate(database: Database, clock: Clock): Promise<void> {
  await database.transact(async (transaction) => {
    await database.dialect.lockMigrations(transaction);
    const version = await versionOf(transaction);
    if (version > SCHEMA_VERSION) throw newer(version, database.dialect.location);

    for (const [index, migration] of MIGRATIONS.entries()) {
      if (index < version) continue;
      await migration.up(transaction, database.dialect.columnTypes);
      await transaction
        .insertInto("migrations")
        .values({ version: index + 1, name: migration.name, appliedAt: clock() })
        .execute();
    }
  });
}

async function versionOf(transaction: Transaction<Schema>): Promise<number> {
  await transaction.schema
    .createTable("migrations")
    .ifNotExists()
    .addColumn("version", "integer", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("appliedAt", "bigint", (column) => column.notNull())
    .execute();
  const row = await transaction
    .selectFrom("migrations")
    .select((select) => select.fn.max("version").as("version"))
    .executeTakeFirst();
  return row?.version ?? 0;
}

function newer(version: number, location: string): ToolkeepError {
  return new ToolkeepError(
    "STORE_NEWER",
    `The store at ${location} has schema version ${version}; this toolkeep knows versions up to ${SCHEMA_VERSION}.`,
  );
}
