import type { SqliteDatabase, SqliteStatement } from "kysely";
import { BoundedMap } from "../../../lib/bounded-map.ts";
import type { DatabaseSync, StatementSync } from "./database-sync.ts";

/** Far more than the distinct queries of the store, few enough to forget about. */
const MAX_STATEMENTS = 200;
/**
 * Longer statements insert many rows, with another text for every number of rows. Each takes hundreds of kB, so only a
 * few are cached.
 */
const LONG = 4_000;
const MAX_LONG_STATEMENTS = 8;

/** The face of a database that Kysely's driver wants. Prepared statements are kept, the least recently used leave first. */
export function withCachedStatements(database: DatabaseSync): SqliteDatabase {
  const short = new BoundedMap<string, SqliteStatement>(MAX_STATEMENTS, { drops: "least used" });
  const long = new BoundedMap<string, SqliteStatement>(MAX_LONG_STATEMENTS, { drops: "least used" });

  return {
    prepare: (sql) =>
      (sql.length > LONG ? long : short).getOrMake(sql, () => forKysely(sql, database.prepare(sql))),
    close: () => {
      short.clear();
      long.clear();
      database.close();
    },
  };
}

/** Statements with rows to read; the others report how many rows they changed. */
const READS = /^\s*(select|with|pragma)\b|\breturning\b/i;

function forKysely(sql: string, statement: StatementSync): SqliteStatement {
  return {
    reader: READS.test(sql),
    all: (parameters) => statement.all(...parameters),
    run: (parameters) => statement.run(...parameters),
    iterate: (parameters) => statement.iterate(...parameters),
  };
}
