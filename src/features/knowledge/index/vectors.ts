import type { Transaction } from "kysely";
import { inChunks } from "../../../machine/db/query/chunks.ts";
import type { ChunkToEmbed, ChunkVector } from "./index-store.ts";
import { raiseRevision } from "./revision.ts";
import type { IndexDatabase, KnowledgeSchema } from "./schema.ts";

/** The vectors of chunks that are about to be replaced, by the hash of the embedded text. */
export type KeptVectors = ReadonlyMap<string, Uint8Array>;

/** How many vectors of another model are deleted at a time. */
const DROPPED_AT_ONCE = 20_000;

export async function vectorsByHash(
  db: Transaction<KnowledgeSchema>,
  { firstChunk, chunkCount }: { readonly firstChunk: number; readonly chunkCount: number },
): Promise<KeptVectors> {
  if (chunkCount === 0) return new Map();
  const rows = await db
    .selectFrom("knowledgeChunks")
    .innerJoin("knowledgeVectors", "knowledgeVectors.chunkNo", "knowledgeChunks.no")
    .select(["hash", "vector"])
    .where("no", ">=", firstChunk)
    .where("no", "<", firstChunk + chunkCount)
    .execute();
  return new Map(rows.map(({ hash, vector }) => [hash, vector]));
}

export async function chunksWithoutVector(
  database: IndexDatabase,
  model: string,
  after: number,
  limit: number,
): Promise<ChunkToEmbed[]> {
  await dropOtherModel(database, model);
  const rows = await database.query((db) =>
    db
      .selectFrom("knowledgeChunks")
      .innerJoin("knowledgeEntities", "knowledgeEntities.no", "knowledgeChunks.entityNo")
      .leftJoin("knowledgeVectors", "knowledgeVectors.chunkNo", "knowledgeChunks.no")
      .select(["knowledgeChunks.no", "title", "headings", "text"])
      .where("knowledgeChunks.no", ">", after)
      .where("knowledgeVectors.chunkNo", "is", null)
      .orderBy("knowledgeChunks.no")
      .limit(limit)
      .execute(),
  );
  return rows.map(({ headings, ...row }) => ({ ...row, headings: JSON.parse(headings) }));
}

export async function putVectors(
  database: IndexDatabase,
  model: string,
  vectors: readonly ChunkVector[],
): Promise<void> {
  await dropOtherModel(database, model);
  await database.transact(async (db) => {
    const revision = await raiseRevision(db);
    for (const some of inChunks(vectors)) {
      const alive = await db
        .selectFrom("knowledgeChunks")
        .select("no")
        .where(
          "no",
          "in",
          some.map(({ no }) => no),
        )
        .execute();
      const nos = new Set(alive.map(({ no }) => no));
      const rows = some
        .filter(({ no }) => nos.has(no))
        .map(({ no, vector }) => ({ chunkNo: no, vector, revision }));
      if (rows.length === 0) continue;
      await db
        .insertInto("knowledgeVectors")
        .values(rows)
        .onConflict((conflict) =>
          conflict.column("chunkNo").doUpdateSet((row) => ({
            vector: row.ref("excluded.vector"),
            revision: row.ref("excluded.revision"),
          })),
        )
        .execute();
    }
  });
}

/** A search never mixes vectors of two models: it checks the model first, which is set before the first new vector. */
async function dropOtherModel(database: IndexDatabase, model: string): Promise<void> {
  const { model: known } = await database.query((db) =>
    db.selectFrom("knowledgeState").select("model").executeTakeFirstOrThrow(),
  );
  if (known === model) return;
  while ((await dropSome(database)) > 0);
  await database.transact(async (db) => {
    await raiseRevision(db);
    await db.updateTable("knowledgeState").set({ model }).execute();
  });
}

function dropSome(database: IndexDatabase): Promise<number> {
  return database.transact(async (db) => {
    await raiseRevision(db);
    await db.updateTable("knowledgeState").set({ model: null }).execute();
    const { numDeletedRows } = await db
      .deleteFrom("knowledgeVectors")
      .where("chunkNo", "in", (query) =>
        query.selectFrom("knowledgeVectors").select("chunkNo").orderBy("chunkNo").limit(DROPPED_AT_ONCE),
      )
      .executeTakeFirst();
    return Number(numDeletedRows);
  });
}
