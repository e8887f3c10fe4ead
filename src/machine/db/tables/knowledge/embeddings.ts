import type { Database } from "../../database.ts";
import { rowCodec } from "../../query/row.ts";
import { inChunks } from "./chunks.ts";
import type { EmbeddingRecord, EmbeddingStore } from "./embedding-record.ts";

export function embeddingStore(database: Database): EmbeddingStore {
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
  };
}

const { toRow, toRecord } = rowCodec<EmbeddingRecord, "embeddings">("embeddings");
