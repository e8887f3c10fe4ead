import { type Database, mustAffect } from "./database.ts";
import { LIST_LIMIT } from "./limits.ts";
import { rowCodec } from "./row.ts";
import type { NotificationRecord, NotificationStore } from "./store.ts";

export function notificationStore(database: Database): NotificationStore {
  return {
    async list({ dismissed = false } = {}) {
      const newestFirst = await database.query((db) =>
        db
          .selectFrom("notifications")
          .selectAll()
          .$if(!dismissed, (query) => query.where("dismissedAt", "is", null))
          .orderBy("createdAt", "desc")
          .orderBy("id", "desc")
          .limit(LIST_LIMIT)
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
