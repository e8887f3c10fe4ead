import type { Transaction } from "kysely";
import type { KnowledgeSchema } from "./schema.ts";

/** Returns the number of the current change. Also locks: the next writer waits here until this one has ended. */
export async function raiseRevision(db: Transaction<KnowledgeSchema>): Promise<number> {
  const { revision } = await db
    .updateTable("knowledgeState")
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .returning("revision")
    .executeTakeFirstOrThrow();
  return revision;
}

/** Only locks, for changes that readers do not need to follow. */
export async function lockIndex(db: Transaction<KnowledgeSchema>): Promise<void> {
  await db
    .updateTable("knowledgeState")
    .set((row) => ({ revision: row.ref("revision") }))
    .execute();
}
