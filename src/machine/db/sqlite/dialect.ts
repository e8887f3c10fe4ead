import { chmod, open } from "node:fs/promises";
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from "kysely";
import { messageOf } from "../../../contract/errors.ts";
import { damaged, unavailable } from "../database.ts";
import { type ErrorClass, type StoreDialect, storable } from "../dialect.ts";
import { openDatabaseSync, sqliteCode } from "./database-sync.ts";
import { PatientSqliteDriver } from "./driver.ts";
import { sqliteSharing } from "./sharing.ts";
import { withCachedStatements } from "./statements.ts";

/**
 * `synchronous=FULL`: a commit returns only once the write-ahead log is on disk, so that neither a crash nor a power
 * cut loses an acknowledged write. After the opening, waiting for other processes is left to the driver.
 */
const PRAGMAS = `
  pragma busy_timeout = 5000;
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma foreign_keys = on;
  pragma temp_store = memory;
  pragma busy_timeout = 0;
`;

/** A file that only its user may read, opened and checked. Throws STORE_UNAVAILABLE. */
export async function sqliteDialect(file: string, pragmas = PRAGMAS): Promise<StoreDialect> {
  const database = await openFile(file, pragmas);
  return {
    name: "sqlite",
    location: file,
    columnTypes: {
      ...{ text: "text", bytes: "blob", number: "bigint", flag: "integer", rowNumber: "integer" },
      clustered: sql`without rowid`,
    },
    kysely: {
      createDriver: () => new PatientSqliteDriver({ database: withCachedStatements(database) }, file),
      createQueryCompiler: () => new StorableSqliteCompiler(),
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
    // Every transaction takes the write lock when it begins: there is nothing more to lock.
    lockMigrations: async () => {},
    sharing: sqliteSharing,
    classify,
  };
}

async function openFile(file: string, pragmas: string) {
  try {
    // Made first: SQLite gives its other files the mode of this one.
    await (await open(file, "a", 0o600)).close();
    await chmod(file, 0o600);
    const database = await openDatabaseSync(file);
    database.exec(pragmas);
    return database;
  } catch (error) {
    throw classify(error) === "damaged" ? damaged(error, file) : unavailable(error, file);
  }
}

class StorableSqliteCompiler extends SqliteQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(storable(parameter));
  }
}

const UNIQUE = [2067, 1555];
const REFERENCE = [787, 1299];
/** PERM, BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN, PROTOCOL, NOLFS. */
const UNAVAILABLE = [3, 5, 6, 7, 8, 10, 13, 14, 15, 22];
/** CORRUPT, NOTADB. */
const DAMAGED = [11, 26];
const ERROR = 1;
/** Statements are as fixed as the schema: where they do not fit each other, a part of the schema was lost. */
const SCHEMA_LOST = /^(no such (table|column|index): |(table|index) .* already exists$)/;

function classify(error: unknown): ErrorClass {
  const code = sqliteCode(error);
  if (code === undefined) return "bug";
  if (UNIQUE.includes(code.extended)) return "unique";
  if (REFERENCE.includes(code.extended)) return "reference";
  if (DAMAGED.includes(code.primary)) return "damaged";
  if (code.primary === ERROR && SCHEMA_LOST.test(messageOf(error))) return "damaged";
  return UNAVAILABLE.includes(code.primary) ? "unavailable" : "bug";
}
