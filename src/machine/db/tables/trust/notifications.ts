import { sql } from "kysely";
import { type Database, mustAffect } from "../../database.ts";
import { LIST_LIMIT } from "../../query/limits.ts";
import { isBefore } from "../../query/newest-before.ts";
import { rowCodec } from "../../query/row.ts";
import type { NotificationRecord, NotificationStore } from "../../store.ts";

export function notificationStore(database: Database): NotificationStore {
  return {
    async list({ dismissed = false, idPrefix, before, limit = LIST_LIMIT } = {}) {
      const newestFirst = await database.query((db) =>
        db
          .selectFrom("notifications")
          .selectAll()
          .$if(!dismissed, (query) => query.where("dismissedAt", "is", null))
          .$if(dismissed === "only", (query) => query.where("dismissedAt", "is not", null))
          .$if(idPrefix !== undefined, (query) =>
            query.where(sql<string>`substr(id, 1, ${idPrefix!.length})`, "=", idPrefix!),
          )
          .$if(before !== undefined, (query) => query.where((is) => isBefore(is, before!)))
          .orderBy("createdAt", "desc")
          .orderBy("id", "desc")
          .limit(Math.min(limit, LIST_LIMIT))
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
