import { deleteChunks } from "./chunk-rows.ts";
import { raiseRevision } from "./revision.ts";
import type { IndexDatabase } from "./schema.ts";

const ENTITIES_AT_ONCE = 200;

/**
 * Deletes everything of a source; only meaningless postings stay until they are swept. After the first step nothing of it is
 * shown and its id is free again. The rest is deleted in parts, including what an interrupted run left.
 */
export async function forgetSource(
  database: IndexDatabase,
  sourceId: string,
  progress: (left: number) => void = () => {},
): Promise<void> {
  await database.transact(async (db) => {
    await raiseRevision(db);
    const source = await db
      .selectFrom("knowledgeSources")
      .select("no")
      .where("sourceId", "=", sourceId)
      .executeTakeFirst();
    if (!source) return;
    await db
      .updateTable("knowledgeSources")
      .set({ forgotten: 1, sourceId: `forgotten ${source.no}` })
      .where("no", "=", source.no)
      .execute();
  });
  for (;;) {
    const left = await deleteSome(database);
    progress(left);
    if (left === 0) return;
  }
}

/** How many entities of forgotten sources are left. */
async function deleteSome(database: IndexDatabase): Promise<number> {
  return database.transact(async (db) => {
    await raiseRevision(db);
    const forgotten = db.selectFrom("knowledgeSources").select("no").where("forgotten", "=", 1);
    const entities = await db
      .selectFrom("knowledgeEntities")
      .select(["no", "firstChunk", "chunkCount"])
      .where("sourceNo", "in", forgotten)
      .limit(ENTITIES_AT_ONCE)
      .execute();
    await deleteChunks(db, entities);
    if (entities.length > 0)
      await db
        .deleteFrom("knowledgeEntities")
        .where(
          "no",
          "in",
          entities.map(({ no }) => no),
        )
        .execute();
    if (entities.length === ENTITIES_AT_ONCE) {
      const { count } = await db
        .selectFrom("knowledgeEntities")
        .select((select) => select.fn.countAll<number>().as("count"))
        .where("sourceNo", "in", forgotten)
        .executeTakeFirstOrThrow();
      if (count > 0) return count;
    }
    await db.deleteFrom("knowledgeSources").where("forgotten", "=", 1).execute();
    return 0;
  });
}
