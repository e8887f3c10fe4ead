import type { SqliteDatabase, SqliteStatement } from "kysely";
import type { DatabaseSync, StatementSync } from "./database-sync.ts";

/** Far more than the distinct queries of the store, few enough to forget about. */
const MAX_STATEMENTS = 200;
/** Longer ones insert many rows, with another text for every number of rows: kept, each would hold hundreds of kB. */
const MAX_KEPT_LENGTH = 4_000;

/** The face of a database that Kysely's driver wants. Prepared statements are kept, the least recently used leave first. */
export function withCachedStatements(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();

  const remember = (sql: string, statement: SqliteStatement): SqliteStatement => {
    statements.delete(sql);
    statements.set(sql, statement);
    if (statements.size > MAX_STATEMENTS) statements.delete(statements.keys().next().value!);
    return statement;
  };

  return {
    prepare: (sql) => {
      const statement = statements.get(sql) ?? forKysely(sql, database.prepare(sql));
      return sql.length > MAX_KEPT_LENGTH ? statement : remember(sql, statement);
    },
    close: () => {
      statements.clear();
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
