import { type Database, mustAffect } from "../../database.ts";
import { rowCodec } from "../../query/row.ts";
import type { CustomToolRecord, CustomToolStore } from "./custom-tool-record.ts";

export function customToolStore(database: Database): CustomToolStore {
  return {
    async list() {
      const rows = await database.query((db) =>
        db.selectFrom("customTools").selectAll().orderBy("slug").execute(),
      );
      return rows.map(toRecord);
    },

    async put(tool) {
      const { slug: _, ...change } = tool;
      await database.change("custom_tools", (db) =>
        db
          .insertInto("customTools")
          .values(toRow(tool))
          .onConflict((conflict) => conflict.column("slug").doUpdateSet(toChange(change)))
          .execute(),
      );
    },

    async delete(slug) {
      const result = await database.change("custom_tools", (db) =>
        db.deleteFrom("customTools").where("slug", "=", slug).executeTakeFirst(),
      );
      mustAffect(result.numDeletedRows, `enabled custom tool named "${slug}"`);
    },
  };
}

const { toRow, toChange, toRecord } = rowCodec<CustomToolRecord, "customTools">("customTools");
