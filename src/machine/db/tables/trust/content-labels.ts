import type { Database } from "../../database.ts";
import { rowCodec } from "../../query/row.ts";
import type { ContentLabelRecord, ContentLabelStore } from "./label-record.ts";

/** So many ids fit into one query of either database. */
const AT_ONCE = 500;

export function contentLabelStore(database: Database): ContentLabelStore {
  return {
    async get(ids) {
      const found: ContentLabelRecord[] = [];
      for (let start = 0; start < ids.length; start += AT_ONCE) {
        const some = ids.slice(start, start + AT_ONCE);
        const rows = await database.query((db) =>
          db.selectFrom("contentLabels").selectAll().where("id", "in", some).execute(),
        );
        found.push(...rows.map(toRecord));
      }
      return found;
    },

    async put(records) {
      await database.transact(async (db) => {
        for (const record of records) {
          const { labels, labelledAt } = toRow(record);
          await db
            .insertInto("contentLabels")
            .values(toRow(record))
            .onConflict((conflict) => conflict.column("id").doUpdateSet({ labels, labelledAt }))
            .execute();
        }
      });
    },
  };
}

const { toRow, toRecord } = rowCodec<ContentLabelRecord, "contentLabels">("contentLabels");
