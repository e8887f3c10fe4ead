import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import { makeFolder } from "../files/make-folder.ts";
import { connect, type Database, unavailable, withTables } from "./database.ts";
import type { StoreDialect } from "./dialect.ts";
import { dumpTables, loadTables } from "./dump.ts";
import { migrate, STORE_PATH } from "./migrate.ts";
import { prune } from "./prune.ts";
import { resealAll } from "./reseal.ts";
import { sqliteDialect } from "./sqlite/dialect.ts";
import type { Store } from "./store.ts";
import type { StorePart } from "./store-part.ts";

export interface StoreOptions {
  /** Made when absent, for its user only. */
  readonly home: string;
  /** PostgreSQL; null: the file `toolkeep.db` in `home`. */
  readonly databaseUrl: string | null;
  readonly clock: Clock;
  /** The tables of features. */
  readonly parts?: readonly StorePart[];
}

/**
 * Opens the store and brings its schema up to date. Throws STORE_UNAVAILABLE when it cannot be reached and
 * STORE_NEWER when a later version wrote it. Whoever opens it closes it.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { clock, parts = [] } = options;
  const database = connect(await openDialect(options));
  try {
    await migrate(database, clock, STORE_PATH, parts);
  } catch (error) {
    await database.close();
    throw error;
  }
  return storeOver(database, clock, parts);
}

async function openDialect({ home, databaseUrl }: StoreOptions): Promise<StoreDialect> {
  if (databaseUrl !== null) {
    // Loaded only where it is used: most homes have no PostgreSQL, and every start would wait for it.
    const { postgresDialect } = await import("./postgres/dialect.ts");
    return postgresDialect(databaseUrl);
  }
  await makeFolder(home).catch((error) => {
    throw unavailable(error, home);
  });
  return sqliteDialect(join(home, "toolkeep.db"));
}

function storeOver(database: Database, clock: Clock, parts: readonly StorePart[]): Store {
  return {
    dialect: database.dialect.name,
    database,
    revision: () => readRevision(database),
    checkWrite: () => writeProbe(database, clock),
    follow: (since, follower) => database.dialect.sharing.follow(since, follower),
    lead: (job, work, signal) => database.dialect.sharing.lead(job, work, signal),
    attempt: (job, work, signal) => database.dialect.sharing.attempt(job, work, signal),
    prune: (what, before, limit) => prune(database, what, before, limit),
    reseal: (reseal) => resealAll(database, reseal, parts),
    dump: () => dumpTables(database, parts),
    load: (dump) => loadTables(database, dump, parts),
    close: () => database.close(),
  };
}

/** Uses its own row, so that it waits for no other writer. The row has expired already, so that cleaning removes it. */
async function writeProbe(database: Database, clock: Clock): Promise<void> {
  const row = { id: "write check", expiresAt: clock() };
  await withTables<{ claims: typeof row }>(database).query((db) =>
    db
      .insertInto("claims")
      .values(row)
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ expiresAt: row.expiresAt }))
      .execute(),
  );
}

async function readRevision(database: Database): Promise<number> {
  const row = await database.query((db) =>
    db.selectFrom("revision").select("value").executeTakeFirstOrThrow(),
  );
  return row.value;
}
