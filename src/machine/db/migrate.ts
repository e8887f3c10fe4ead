import type { Transaction } from "kysely";
import type { Migration } from "../../contract/define-table.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Database } from "./database.ts";
import { MIGRATIONS } from "./history/index.ts";
import type { Schema } from "./schema.ts";
import type { StorePart } from "./store-part.ts";

/** Steps, and the table that says how many of them were made. */
export interface MigrationPath {
  readonly table: "migrations" | "knowledgeMigrations";
  readonly steps: readonly Migration[];
}

export const STORE_PATH: MigrationPath = { table: "migrations", steps: MIGRATIONS };

/**
 * Brings the schema up to date: all missing steps or none. Several processes may do it at once; one does the work
 * and the others wait. Throws STORE_NEWER, changing nothing, for a store that a later version wrote.
 */
export async function migrate(
  database: Database,
  clock: Clock,
  path = STORE_PATH,
  parts: readonly StorePart[] = [],
): Promise<void> {
  await database.transact(async (transaction) => {
    await database.dialect.lockMigrations(transaction);
    const version = await versionOf(transaction, path);
    if (version > path.steps.length) throw newer(version, path, database.dialect.location);

    for (const [index, migration] of path.steps.entries()) {
      if (index < version) continue;
      await migration.up(transaction, database.dialect.columnTypes);
      await transaction
        .insertInto(path.table)
        .values({ version: index + 1, name: migration.name, appliedAt: clock() })
        .execute();
    }
    for (const part of parts) await migrateFeature(transaction, database, part, clock);
  });
}

/** The steps of a feature are counted apart from those of the kernel and of other features. */
async function migrateFeature(
  transaction: Transaction<Schema>,
  { dialect }: Database,
  { feature, migrations }: StorePart,
  clock: Clock,
): Promise<void> {
  if (migrations.length === 0) return;
  await transaction.schema
    .createTable("featureMigrations")
    .ifNotExists()
    .addColumn("feature", dialect.columnTypes.text, (column) => column.notNull())
    .addColumn("number", "integer", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("appliedAt", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("feature_migrations_key", ["feature", "number"])
    .execute();
  const row = await transaction
    .selectFrom("featureMigrations")
    .select((select) => select.fn.max("number").as("number"))
    .where("feature", "=", feature)
    .executeTakeFirst();
  const made = row?.number ?? 0;
  if (made > migrations.length)
    throw new ToolkeepError(
      "STORE_NEWER",
      `The store at ${dialect.location} has version ${made} of the feature ${feature}; this toolkeep knows versions up to ${migrations.length}.`,
    );
  for (const [index, migration] of migrations.entries()) {
    if (index < made) continue;
    await migration.up(transaction, dialect.columnTypes);
    await transaction
      .insertInto("featureMigrations")
      .values({ feature, number: index + 1, name: migration.name, appliedAt: clock() })
      .execute();
  }
}

/**
 * Checks without a lock whether there is nothing to migrate, so that a reading process does not wait for a writing one.
 */
export async function isMigrated(database: Database, { table, steps }: MigrationPath): Promise<boolean> {
  try {
    const row = await database.query((db) =>
      db
        .selectFrom(table)
        .select((select) => select.fn.max("version").as("version"))
        .executeTakeFirst(),
    );
    return row?.version === steps.length;
  } catch {
    // There is no such table yet, or more is wrong than that: migrating says what.
    return false;
  }
}

async function versionOf(transaction: Transaction<Schema>, { table }: MigrationPath): Promise<number> {
  await transaction.schema
    .createTable(table)
    .ifNotExists()
    .addColumn("version", "integer", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("appliedAt", "bigint", (column) => column.notNull())
    .execute();
  const row = await transaction
    .selectFrom(table)
    .select((select) => select.fn.max("version").as("version"))
    .executeTakeFirst();
  return row?.version ?? 0;
}

function newer(version: number, { steps }: MigrationPath, location: string): ToolkeepError {
  return new ToolkeepError(
    "STORE_NEWER",
    `The store at ${location} has schema version ${version}; this toolkeep knows versions up to ${steps.length}.`,
  );
}
