import { sql } from "kysely";
import { insertUnlessFull } from "./bounded-insert.ts";
import { inChunks } from "./chunks.ts";
import { type Database, mustAffect } from "./database.ts";
import type { MemoryRecord, MemoryStore } from "./memory-record.ts";
import { bounded } from "./page.ts";
import { rowCodec } from "./row.ts";

export function memoryStore(database: Database): MemoryStore {
  return {
    async list({ agentId, ...page }) {
      const { limit, offset } = bounded(page);
      const rows = await database.query((db) =>
        db
          .selectFrom("memories")
          .selectAll()
          .$if(agentId !== undefined, (query) => query.where("agentId", "=", agentId!))
          .orderBy("createdAt", "desc")
          .orderBy("id", "desc")
          .limit(limit)
          .offset(offset)
          .execute(),
      );
      return rows.map(toRecord);
    },

    async count(agentId) {
      const { count } = await database.query((db) =>
        db
          .selectFrom("memories")
          .select((select) => select.fn.countAll<number>().as("count"))
          .$if(agentId !== undefined, (query) => query.where("agentId", "=", agentId!))
          .executeTakeFirstOrThrow(),
      );
      return count;
    },

    async get(id) {
      const row = await database.query((db) =>
        db.selectFrom("memories").selectAll().where("id", "=", id).executeTakeFirst(),
      );
      return row && toRecord(row);
    },

    async among(ids) {
      const found: MemoryRecord[] = [];
      for (const chunk of inChunks(ids)) {
        const rows = await database.query((db) =>
          db.selectFrom("memories").selectAll().where("id", "in", chunk).execute(),
        );
        found.push(...rows.map(toRecord));
      }
      return found;
    },

    revisions: (agentId) =>
      database.query((db) =>
        db.selectFrom("memories").select(["id", "revision"]).where("agentId", "=", agentId).execute(),
      ),

    create: (memory, most) =>
      insertUnlessFull(
        database,
        { table: "memories", of: { column: "agentId", id: memory.agentId } },
        most,
        (db) => db.insertInto("memories").values(toRow(memory)).execute(),
      ),

    async update(id, change) {
      const row = await database.query((db) =>
        db
          .updateTable("memories")
          .set({ ...toChange(change), revision: sql<number>`revision + 1` })
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirst(),
      );
      mustAffect(row ? 1n : 0n, `memory ${id}`);
      return toRecord(row!);
    },

    async touch(ids, at) {
      for (const chunk of inChunks(ids)) {
        await database.query((db) =>
          db.updateTable("memories").set({ lastUsedAt: at }).where("id", "in", chunk).execute(),
        );
      }
    },

    async delete(id) {
      const { numDeletedRows } = await database.query((db) =>
        db.deleteFrom("memories").where("id", "=", id).executeTakeFirst(),
      );
      mustAffect(numDeletedRows, `memory ${id}`);
    },
  };
}

const { toRow, toChange, toRecord } = rowCodec<MemoryRecord, "memories">("memories");
