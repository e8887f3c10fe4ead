import { z } from "zod";
import { defineTable, type RowOf } from "../../../contract/define-table.ts";
import { bytes, type Infer, time } from "../../../contract/shape.ts";
import { type Database, withTables } from "../../db/database.ts";
import { inChunks } from "../../db/query/chunks.ts";
import { Records } from "../../db/query/records.ts";
import { codecOf } from "../../db/query/row.ts";

/** The meaning of a text to a model. It can be made again from the text at any time, so it is in no backup. */
const embedding = z.object({
  /** Stands for the text and the model. */
  id: z.string(),
  model: z.string(),
  vector: bytes,
  /** To about a day. */
  usedAt: time,
});
export type EmbeddingRecord = Infer<typeof embedding>;

export const embeddings = defineTable({
  name: "embeddings",
  noun: "embedding",
  record: embedding,
  isDumped: false,
});

export interface EmbeddingStore {
  /** Those that are there, in no order. */
  among(ids: readonly string[]): Promise<EmbeddingRecord[]>;
  /** One that is there already stays. */
  put(embeddings: readonly EmbeddingRecord[]): Promise<void>;
  touch(ids: readonly string[], at: number): Promise<void>;
  /** Deletes those used longest ago beyond `most`, at most `limit` of them; resolves with how many that were. */
  trim(most: number, limit: number): Promise<number>;
  /** Deletes those that were last used before `before`, at most `limit` of them; resolves with how many that were. */
  prune(before: number, limit: number): Promise<number>;
}

export function embeddingStore(store: Database): EmbeddingStore {
  const database: Database<{ embeddings: RowOf<typeof embeddings> }> = withTables(store);
  return {
    async among(ids) {
      const found: EmbeddingRecord[] = [];
      for (const chunk of inChunks(ids)) {
        const rows = await database.query((db) =>
          db.selectFrom("embeddings").selectAll().where("id", "in", chunk).execute(),
        );
        found.push(...rows.map(toRecord));
      }
      return found;
    },

    async put(embeddings) {
      for (const chunk of inChunks(embeddings)) {
        await database.query((db) =>
          db
            .insertInto("embeddings")
            .values(chunk.map(toRow))
            .onConflict((conflict) => conflict.column("id").doNothing())
            .execute(),
        );
      }
    },

    async touch(ids, at) {
      for (const chunk of inChunks(ids)) {
        await database.query((db) =>
          db.updateTable("embeddings").set({ usedAt: at }).where("id", "in", chunk).execute(),
        );
      }
    },

    async trim(most, limit) {
      const beyond = await database.query((db) =>
        db
          .selectFrom("embeddings")
          .select("id")
          .orderBy("usedAt", "desc")
          .orderBy("id")
          .offset(most)
          .limit(limit)
          .execute(),
      );
      if (beyond.length === 0) return 0;
      const { numDeletedRows } = await database.query((db) =>
        db
          .deleteFrom("embeddings")
          .where(
            "id",
            "in",
            beyond.map(({ id }) => id),
          )
          .executeTakeFirst(),
      );
      return Number(numDeletedRows);
    },

    prune: (before, limit) => new Records(store, embeddings).prune("usedAt", before, limit),
  };
}

const { toRow, toRecord } = codecOf(embeddings);
