import type { Transaction } from "kysely";
import type { Database } from "./database.ts";
import type { Schema } from "./schema.ts";
import { type StorePart, sealedKind } from "./store-part.ts";

/** Every sealed column of the kernel, by the row's key; what is not here would be lost with the key that sealed it. */
export const SEALED_COLUMNS = [
  { table: "secrets", key: "name", column: "sealed", kind: "secret" },
  { table: "secrets", key: "name", column: "earlier", kind: "earlierSecrets" },
  { table: "servers", key: "id", column: "sealed", kind: "server" },
  { table: "servers", key: "id", column: "auth", kind: "serverAuth" },
  { table: "vaultKey", key: "id", column: "sealed", kind: "key" },
  { table: "auditKey", key: "id", column: "sealed", kind: "auditKey" },
] as const;
export type SealedKind = (typeof SEALED_COLUMNS)[number]["kind"];

/** Seals a value of a row anew; undefined where it cannot be opened, and stays as it is. `kind`: a `SealedKind`, or that of a feature's column. */
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
  return database.change("everything", async (db) => {
    let [resealed, unreadable] = [0, 0];
    for (const place of [...SEALED_COLUMNS, ...sealedColumns(parts)]) {
      for (const { key, sealed } of await sealedIn(db, place)) {
        const anew = reseal(new Uint8Array(sealed), place.kind, String(key));
        if (anew) await write(db, place, key, anew);
        if (anew) resealed += 1;
        else unreadable += 1;
      }
    }
    return { resealed, unreadable };
  });
}

interface SealedColumn {
  readonly table: string;
  readonly key: string;
  readonly column: string;
  readonly kind: string;
}

function sealedColumns(parts: readonly StorePart[]): SealedColumn[] {
  return parts
    .flatMap(({ tables }) => tables)
    .flatMap(({ name, key, sealed }) =>
      sealed.map((column) => ({ table: name, key: key[0]!, column, kind: sealedKind(name, column) })),
    );
}

interface Sealed {
  readonly key: unknown;
  readonly sealed: Uint8Array;
}

// The names are those of the schema; a union of tables is more than the query types can follow.
async function sealedIn(db: Transaction<Schema>, { table, key, column }: SealedColumn): Promise<Sealed[]> {
  const rows = await db
    .selectFrom(table as "secrets")
    .select([`${key} as key`, `${column} as sealed`] as never)
    .where(column as "sealed", "is not", null)
    .execute();
  return rows as unknown as Sealed[];
}

async function write(
  db: Transaction<Schema>,
  { table, key, column }: SealedColumn,
  at: unknown,
  sealed: Uint8Array,
): Promise<void> {
  await db
    .updateTable(table as "secrets")
    .set({ [column]: sealed })
    .where(key as "name", "=", at as string)
    .execute();
}
