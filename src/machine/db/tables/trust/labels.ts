import type { Database } from "../../database.ts";
import { rowCodec } from "../../query/row.ts";
import type { LabelRecord, LabelStore } from "./label-record.ts";

export function labelStore(database: Database): LabelStore {
  return {
    async list(since, limit) {
      const rows = await database.query((db) =>
        db
          .selectFrom("labels")
          .selectAll()
          .where("labelledAt", ">=", since)
          .orderBy("labelledAt", "desc")
          .orderBy("id")
          .limit(limit)
          .execute(),
      );
      return rows.map(toRecord).reverse();
    },

    async put(record) {
      const { labels, labelledAt, ...row } = toRow({ id: idOf(record), ...record });
      await database.change("labels", (db) =>
        db
          .insertInto("labels")
          .values({ ...row, labels, labelledAt })
          .onConflict((conflict) => conflict.column("id").doUpdateSet({ labels, labelledAt }))
          .execute(),
      );
    },
  };
}

function idOf({ agentId, conversation }: LabelRecord): string {
  return `${agentId} ${conversation}`;
}

interface Stored extends LabelRecord {
  readonly id: string;
}

const { toRow, toRecord: toStored } = rowCodec<Stored & Record<string, unknown>, "labels">("labels");

function toRecord(row: Parameters<typeof toStored>[0]): LabelRecord {
  const { id: _, ...record } = toStored(row);
  return record;
}
