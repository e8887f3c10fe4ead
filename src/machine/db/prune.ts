import type { Kysely } from "kysely";
import { type Database, withTables } from "./database.ts";
import type { Prunable } from "./store.ts";

/** The time from which a row counts as over; null in it: it is not. */
const ENDED = {
  calls: "startedAt",
  attachments: "createdAt",
  toolUses: "usedAt",
} as const satisfies Record<Prunable, string>;

/** See `Store.prune`. */
export async function prune(
  database: Database,
  what: Prunable,
  before: number,
  limit: number,
): Promise<number> {
  const tables = withTables<PrunedTables>(database);
  const due = await tables.query((db) => dueIds(db, what, before, limit));
  if (due.length === 0) return 0;
  const remove = async (db: Kysely<PrunedTables>) => {
    const { numDeletedRows } = await db
      .deleteFrom(what)
      .where("id", "in", due)
      // Looked at again: a consent may have been renewed since.
      .where(ENDED[what] as "createdAt", "<", before)
      .executeTakeFirst();
    return Number(numDeletedRows);
  };
  return tables.query(remove);
}

/** All of them have an id; the time that counts is that of `ENDED`. */
type PrunedTables = Record<Prunable, { id: string; createdAt: number }>;

async function dueIds(
  db: Kysely<PrunedTables>,
  what: Prunable,
  before: number,
  limit: number,
): Promise<string[]> {
  const ended = ENDED[what] as "createdAt";
  const rows = await db
    .selectFrom(what)
    .select("id")
    .where(ended, "<", before)
    // Records in a chain are removed from its beginning; see `AuditStore.prune`.
    .$if(what === "calls", (query) => query.where("chain" as "id", "is", null))
    .orderBy(ended)
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}
