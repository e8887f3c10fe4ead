import { sql, type Transaction } from "kysely";
import type { ColumnTypes } from "../../../contract/define-table.ts";
import { inChunks } from "../../../machine/db/query/chunks.ts";
import { deleteChunks } from "./chunk-rows.ts";
import { entityIdOf } from "./entity-id.ts";
import { forgetSource } from "./forget-source.ts";
import type { IndexedEntity, IndexWriter } from "./index-store.ts";
import { PostingsToAdd } from "./postings.ts";
import { raiseRevision } from "./revision.ts";
import type { IndexDatabase, KnowledgeSchema } from "./schema.ts";
import { IndexSweeper } from "./sweep.ts";
import { chunksWithoutVector, type KeptVectors, putVectors, vectorsByHash } from "./vectors.ts";

type Db = Transaction<KnowledgeSchema>;
type EntityRow = KnowledgeSchema["knowledgeEntities"];
type ChunkRow = KnowledgeSchema["knowledgeChunks"];

/** The existing rows of an entity that is written. */
type Before = Pick<EntityRow, "no" | "key" | "firstChunk" | "chunkCount">;

/** One process writes at a time; others wait for it. */
export function indexWriter(database: IndexDatabase): IndexWriter {
  const sweeper = new IndexSweeper(database);
  return {
    async known(sourceId, after, limit) {
      return database.query((db) =>
        db
          .selectFrom("knowledgeEntities")
          .innerJoin("knowledgeSources", "knowledgeSources.no", "knowledgeEntities.sourceNo")
          .select(["key", "modifiedAt", "size", "hash"])
          .where("sourceId", "=", sourceId)
          .where("goneAt", "is", null)
          .$if(after !== null, (query) => query.where("key", ">", after!))
          .orderBy("key")
          .limit(limit)
          .execute(),
      );
    },

    write: (entities, at) =>
      database.transact(async (db) => {
        const revision = await raiseRevision(db);
        for (const [sourceId, those] of bySource(entities)) {
          const write = await writeEntities(db, sourceId, those, { at, revision });
          await addPostings(db, write, database.dialect.columnTypes);
        }
      }),

    touch: (sourceId, states) =>
      database.transact(async (db) => {
        const sourceNo = await findSource(db, sourceId);
        if (sourceNo === undefined) return;
        for (const { key, modifiedAt, size } of states)
          await db
            .updateTable("knowledgeEntities")
            .set({ modifiedAt: Math.round(modifiedAt), size })
            .where("sourceNo", "=", sourceNo)
            .where("key", "=", key)
            .execute();
      }),

    bury: (sourceId, keys, at) =>
      database.transact(async (db) => {
        const revision = await raiseRevision(db);
        const sourceNo = await findSource(db, sourceId);
        if (sourceNo === undefined) return;
        for (const some of inChunks(keys)) {
          const those = await existing(db, sourceNo, some);
          await deleteChunks(db, those);
          if (those.length > 0) await markGone(db, those, { at, revision });
        }
      }),

    forget: (sourceId, progress) => forgetSource(database, sourceId, progress),
    withoutVector: (model, after, limit) => chunksWithoutVector(database, model, after, limit),
    putVectors: (model, vectors) => putVectors(database, model, vectors),
    sweep: (limits) => sweeper.step(limits),
  };
}

/** Writes everything but the postings, which are returned. */
async function writeEntities(
  db: Db,
  sourceId: string,
  entities: readonly IndexedEntity[],
  { at, revision }: { readonly at: number; readonly revision: number },
): Promise<PostingsToAdd> {
  const sourceNo = (await findSource(db, sourceId)) ?? (await addSource(db, sourceId));
  const before = new Map<string, Before>();
  for (const some of inChunks(entities.map(({ key }) => key)))
    for (const row of await existing(db, sourceNo, some)) before.set(row.key, row);

  const chunkCount = entities.reduce((sum, { chunks }) => sum + chunks.length, 0);
  const fresh = entities.reduce((sum, { key }) => sum + (before.has(key) ? 0 : 1), 0);
  const kept = new Map<string, KeptVectors>();
  for (const [key, old] of before) kept.set(key, await vectorsByHash(db, old));
  await deleteChunks(db, [...before.values()]);
  let { chunkNo, entityNo } = await takeNumbers(db, chunkCount, fresh);

  const rows: EntityRow[] = [];
  const chunkRows: ChunkRow[] = [];
  const vectorRows: KnowledgeSchema["knowledgeVectors"][] = [];
  const postings = new PostingsToAdd();
  for (const entity of entities) {
    const old = before.get(entity.key);
    const no = old?.no ?? entityNo++;
    rows.push({ ...entityRow(entity, at), no, sourceNo, firstChunk: chunkNo, revision });
    for (const [position, chunk] of entity.chunks.entries()) {
      const { text, headings, start, end, hash } = chunk;
      const row = { text, headings: JSON.stringify(headings), startAt: start, endAt: end, hash };
      chunkRows.push({ no: chunkNo, entityNo: no, position, ...row });
      for (const [term, posting] of chunk.postings) postings.add(term, chunkNo, posting);
      const vector = kept.get(entity.key)?.get(hash);
      if (vector) vectorRows.push({ chunkNo, vector, revision });
      chunkNo += 1;
    }
  }
  await putEntities(db, rows);
  for (const some of inChunks(chunkRows)) await db.insertInto("knowledgeChunks").values(some).execute();
  for (const some of inChunks(vectorRows)) await db.insertInto("knowledgeVectors").values(some).execute();
  return postings;
}

async function findSource(db: Db, sourceId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom("knowledgeSources")
    .select("no")
    .where("sourceId", "=", sourceId)
    .executeTakeFirst();
  return row?.no;
}

async function addSource(db: Db, sourceId: string): Promise<number> {
  const { nextSource } = await db
    .updateTable("knowledgeState")
    .set((row) => ({ nextSource: row("nextSource", "+", 1) }))
    .returning("nextSource")
    .executeTakeFirstOrThrow();
  await db
    .insertInto("knowledgeSources")
    .values({ no: nextSource - 1, sourceId, forgotten: 0 })
    .execute();
  return nextSource - 1;
}

/** Reserves numbers; returns the first of each kind. */
async function takeNumbers(db: Db, chunks: number, entities: number) {
  const { nextChunk, nextEntity } = await db
    .updateTable("knowledgeState")
    .set((row) => ({
      nextChunk: row("nextChunk", "+", chunks),
      nextEntity: row("nextEntity", "+", entities),
    }))
    .returning(["nextChunk", "nextEntity"])
    .executeTakeFirstOrThrow();
  return { chunkNo: nextChunk - chunks, entityNo: nextEntity - entities };
}

function existing(db: Db, sourceNo: number, keys: readonly string[]): Promise<Before[]> {
  return db
    .selectFrom("knowledgeEntities")
    .select(["no", "key", "firstChunk", "chunkCount"])
    .where("sourceNo", "=", sourceNo)
    .where("key", "in", keys)
    .execute();
}

/** Deletes the content and keeps the row, which holds the id and number. */
async function markGone(
  db: Db,
  entities: readonly Before[],
  { at, revision }: { readonly at: number; readonly revision: number },
): Promise<void> {
  await db
    .updateTable("knowledgeEntities")
    .set({
      ...{ goneAt: at, chunkCount: 0, lengths: new Uint8Array(0), hash: "", revision },
      ...{ title: "", type: "", tags: "[]", uri: "", metadata: "{}" },
    })
    .where(
      "no",
      "in",
      entities.map(({ no }) => no),
    )
    .execute();
}

function entityRow(entity: IndexedEntity, at: number) {
  const { sourceId, key, title, type, uri, size, hash, chunks } = entity;
  const lengths = Uint16Array.from(chunks, ({ length }) => Math.min(length, 0xffff));
  return {
    id: entityIdOf(sourceId, key),
    ...{ key, title, type, uri, size, hash },
    tags: JSON.stringify(entity.tags),
    metadata: JSON.stringify(entity.metadata),
    documentAt: Math.round(entity.documentAt),
    modifiedAt: Math.round(entity.modifiedAt),
    chunkCount: chunks.length,
    lengths: new Uint8Array(lengths.buffer),
    indexedAt: at,
    goneAt: null,
  };
}

async function putEntities(db: Db, rows: readonly EntityRow[]): Promise<void> {
  for (const some of inChunks(rows))
    await db
      .insertInto("knowledgeEntities")
      .values(some)
      .onConflict((conflict) =>
        conflict.column("no").doUpdateSet((row) => ({
          title: row.ref("excluded.title"),
          type: row.ref("excluded.type"),
          tags: row.ref("excluded.tags"),
          uri: row.ref("excluded.uri"),
          documentAt: row.ref("excluded.documentAt"),
          metadata: row.ref("excluded.metadata"),
          modifiedAt: row.ref("excluded.modifiedAt"),
          size: row.ref("excluded.size"),
          hash: row.ref("excluded.hash"),
          firstChunk: row.ref("excluded.firstChunk"),
          chunkCount: row.ref("excluded.chunkCount"),
          lengths: row.ref("excluded.lengths"),
          indexedAt: row.ref("excluded.indexedAt"),
          goneAt: null,
          revision: row.ref("excluded.revision"),
        })),
      )
      .execute();
}

/** Appends to existing rows. */
async function addPostings(db: Db, postings: PostingsToAdd, { bytes }: ColumnTypes): Promise<void> {
  const longer = sql<Uint8Array>`cast(knowledge_postings.data || excluded.data as ${sql.raw(bytes as string)})`;
  for (const some of inChunks(postings.rows()))
    await db
      .insertInto("knowledgePostings")
      .values(some)
      .onConflict((conflict) => conflict.columns(["term", "block"]).doUpdateSet({ data: longer }))
      .execute();
}

/** If several have the same key, the last one counts. */
function bySource(entities: readonly IndexedEntity[]): Map<string, IndexedEntity[]> {
  const sources = new Map<string, Map<string, IndexedEntity>>();
  for (const entity of entities) {
    const those = sources.get(entity.sourceId) ?? new Map<string, IndexedEntity>();
    sources.set(entity.sourceId, those.set(entity.key, entity));
  }
  return new Map([...sources].map(([sourceId, those]) => [sourceId, [...those.values()]]));
}
