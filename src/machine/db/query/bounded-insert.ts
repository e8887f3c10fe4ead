import { sql, type Transaction } from "kysely";
import type { Database } from "../database.ts";
import type { ColumnName, Schema, TableName } from "../schema.ts";

/** The rows of a table that belong to one owner; all of them where no owner is named. */
export interface BoundedTable<T extends TableName> {
  readonly table: T;
  readonly of?: {
    readonly column: ColumnName<T>;
    readonly id: string;
    /** Only those of its rows that have this, too. */
    readonly with?: { readonly column: ColumnName<T>; readonly value: string | null };
  };
}

/** Inserts, unless the place has `most` rows already: false, whatever other processes insert there meanwhile. */
export function insertUnlessFull<T extends TableName>(
  database: Database,
  { table, of }: BoundedTable<T>,
  most: number,
  insert: (db: Transaction<Schema>) => Promise<unknown>,
): Promise<boolean> {
  return database.transact(async (db) => {
    await database.dialect.sharing.lock(db, `${table} ${of?.id ?? ""}`);
    const owned = of ? sql`where ${sql.ref(of.column)} = ${of.id} ${having(of.with)}` : sql``;
    const { rows } = await sql<{
      count: number;
    }>`select count(*) as count from ${sql.table(table)} ${owned}`.execute(db);
    if (rows[0]!.count >= most) return false;
    await insert(db);
    return true;
  });
}

function having(also: { readonly column: string; readonly value: string | null } | undefined) {
  if (!also) return sql``;
  return also.value === null
    ? sql`and ${sql.ref(also.column)} is null`
    : sql`and ${sql.ref(also.column)} = ${also.value}`;
}
