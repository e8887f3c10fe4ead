import { sql } from "kysely";
import { type Database, mustAffect } from "../../database.ts";
import { newestBefore } from "../../query/newest-before.ts";
import { rowCodec } from "../../query/row.ts";
import type { NotificationRecord, NotificationStore } from "../../store.ts";

export function notificationStore(database: Database): NotificationStore {
  return {
    async list({ dismissed = false, idPrefix, before, limit } = {}) {
      const newestFirst = await database.query((db) =>
        db
          .selectFrom("notifications")
          .selectAll()
          .$if(!dismissed, (query) => query.where("dismissedAt", "is", null))
          .$if(dismissed === "only", (query) => query.where("dismissedAt", "is not", null))
          .$if(idPrefix !== undefined, (query) =>
            query.where(sql<string>`substr(id, 1, ${idPrefix!.length})`, "=", idPrefix!),
          )
          .$call((query) => newestBefore(query, { before, limit }))
          .execute(),
      );
      return newestFirst.reverse().map(toRecord);
    },

    async create(notification) {
      await database.query((db) => db.insertInto("notifications").values(toRow(notification)).execute());
    },

    async dismiss(id, at) {
      const result = await database.query((db) =>
        db.updateTable("notifications").set({ dismissedAt: at }).where("id", "=", id).executeTakeFirst(),
      );
      mustAffect(result.numUpdatedRows, `notification ${id}`);
    },
  };
}

const { toRow, toRecord } = rowCodec<NotificationRecord, "notifications">("notifications");
