import type { Transaction } from "kysely";
import { type Database, withTables } from "./database.ts";
import { type StorePart, sealedKind } from "./store-part.ts";

/** Seals a value of a row anew; undefined: it cannot be opened, and stays as it is. `kind`: see `sealedKind`. */
export type Reseal = (sealed: Uint8Array, kind: string, key: string) => Uint8Array | undefined;

export interface Resealed {
  readonly resealed: number;
  readonly unreadable: number;
}

/** All of them or none. */
export function resealAll(
  database: Database,
  reseal: Reseal,
  parts: readonly StorePart[],
): Promise<Resealed> {
  return withTables<AnySealed>(database).change("everything", async (db) => {
    let [resealed, unreadable] = [0, 0];
    for (const column of sealedColumns(parts)) {
      for (const { key, sealed } of await readSealed(db, column)) {
        const anew = reseal(new Uint8Array(sealed), column.kind, String(key));
        if (anew) await write(db, column, key, anew);
        if (anew) resealed += 1;
        else unreadable += 1;
      }
    }
    return { resealed, unreadable };
  });
}

export interface SealedColumn {
  readonly table: string;
  readonly key: string;
  readonly column: string;
  readonly kind: string;
}

/** Every sealed column of the store. A value in a column that is not listed would be lost with the key that sealed it. */
export function sealedColumns(parts: readonly StorePart[]): readonly SealedColumn[] {
  return parts
    .flatMap(({ tables }) => tables)
    .flatMap((table) =>
      table.sealed.map((column) => {
        return { table: table.name, key: table.key[0]!, column, kind: sealedKind(table, column) };
      }),
    );
}

/** What a query sees: the table under one name, whichever it is. */
interface AnySealed {
  rows: { id: string; sealed: Uint8Array };
}

interface SealedValue {
  readonly key: unknown;
  readonly sealed: Uint8Array;
}

// The query types cannot follow names that are only known when it runs.
async function readSealed(
  db: Transaction<AnySealed>,
  { table, key, column }: SealedColumn,
): Promise<SealedValue[]> {
  const rows = await db
    .selectFrom(table as "rows")
    .select([`${key} as key`, `${column} as sealed`] as never)
    .where(column as "sealed", "is not", null)
    .execute();
  return rows as unknown as SealedValue[];
}

async function write(
  db: Transaction<AnySealed>,
  { table, key, column }: SealedColumn,
  at: unknown,
  sealed: Uint8Array,
): Promise<void> {
  await db
    .updateTable(table as "rows")
    .set({ [column]: sealed })
    .where(key as "id", "=", at as string)
    .execute();
}
