import type { SqliteDatabase, SqliteStatement } from "kysely";
import type { DatabaseSync, StatementSync } from "./database-sync.ts";

/** Far more than the distinct queries of the store, few enough to forget about. */
const MAX_STATEMENTS = 200;
/** Longer ones insert many rows, with another text for every number of rows, and each holds hundreds of kB: few are kept. */
const LONG = 4_000;
const MAX_LONG_STATEMENTS = 8;

/** The face of a database that Kysely's driver wants. Prepared statements are kept, the least recently used leave first. */
export function withCachedStatements(database: DatabaseSync): SqliteDatabase {
  const short = keeping(MAX_STATEMENTS);
  const long = keeping(MAX_LONG_STATEMENTS);

  return {
    prepare: (sql) =>
      (sql.length > LONG ? long : short).take(sql, () => forKysely(sql, database.prepare(sql))),
    close: () => {
      short.clear();
      long.clear();
      database.close();
    },
  };
}

function keeping(most: number) {
  const statements = new Map<string, SqliteStatement>();
  return {
    take(sql: string, make: () => SqliteStatement): SqliteStatement {
      const statement = statements.get(sql) ?? make();
      statements.delete(sql);
      statements.set(sql, statement);
      if (statements.size > most) statements.delete(statements.keys().next().value!);
      return statement;
    },
    clear: () => statements.clear(),
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
