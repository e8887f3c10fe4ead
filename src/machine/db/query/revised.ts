import { sql } from "kysely";
import { type Database, mustAffect } from "../database.ts";
import type { Row } from "../schema.ts";

/** The tables whose rows know how often they were changed. */
type Revised = "projects" | "tickets" | "projectNotes";

/**
 * Changes a row and raises its revision. Undefined when it no longer has the `revision` that the change was made for;
 * throws NOT_FOUND when there is no such row.
 */
export async function changeRevised<T extends Revised>(
  database: Database,
  table: T,
  id: string,
  change: Partial<Row<T>>,
  revision?: number,
): Promise<Row<T> | undefined> {
  return database.transact(async (db) => {
    // The three tables have these columns in common, which is all that is used of the type here.
    const changed = await db
      .updateTable(table as "tickets")
      .set({ ...(change as Partial<Row<"tickets">>), revision: sql`revision + 1` })
      .where("id", "=", id)
      .$if(revision !== undefined, (query) => query.where("revision", "=", revision!))
      .returningAll()
      .executeTakeFirst();
    if (changed) return changed as unknown as Row<T>;
    const found = await db
      .selectFrom(table as "tickets")
      .select("id")
      .where("id", "=", id)
      .executeTakeFirst();
    mustAffect(found ? 1n : 0n, `${NOUNS[table]} ${id}`);
    return undefined;
  });
}

const NOUNS: Readonly<Record<Revised, string>> = {
  projects: "project",
  tickets: "ticket",
  projectNotes: "note",
};
