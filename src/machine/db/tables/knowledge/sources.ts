import { type Database, mustAffect, unlessTaken } from "../../database.ts";
import { rowCodec } from "../../query/row.ts";
import type { SourceRecord, SourceStore } from "./source-record.ts";

export function sourceStore(database: Database): SourceStore {
  return {
    async list() {
      const rows = await database.query((db) =>
        db.selectFrom("sources").selectAll().orderBy("name").execute(),
      );
      return rows.map(toRecord);
    },

    async byName(name) {
      const row = await database.query((db) =>
        db.selectFrom("sources").selectAll().where("name", "=", name).executeTakeFirst(),
      );
      return row && toRecord(row);
    },

    async create(source) {
      const created = database.change("sources", (db) =>
        db.insertInto("sources").values(toRow(source)).execute(),
      );
      await unlessTaken(`A source named "${source.name}"`, created);
    },

    async update(id, change) {
      const updated = database.change("sources", async (db) => {
        const result = await db
          .updateTable("sources")
          .set({ ...toChange(change), id })
          .where("id", "=", id)
          .executeTakeFirst();
        mustAffect(result.numUpdatedRows, `source with id "${id}"`);
      });
      await unlessTaken(`A source named "${change.name}"`, updated);
    },

    async delete(id) {
      await database.change("sources", async (db) => {
        const result = await db.deleteFrom("sources").where("id", "=", id).executeTakeFirst();
        mustAffect(result.numDeletedRows, `source with id "${id}"`);
      });
    },
  };
}

const { toRow, toChange, toRecord } = rowCodec<SourceRecord, "sources">("sources");
