import type { Database } from "../../database.ts";
import { LIST_LIMIT } from "../../query/limits.ts";
import { newestBefore } from "../../query/newest-before.ts";
import { rowCodec } from "../../query/row.ts";
import type { MessageRecord, MessageStore } from "../../store.ts";
import { inChunks } from "../knowledge/chunks.ts";

export function messageStore(database: Database): MessageStore {
  return {
    async list({ toAgentId, unread = false }) {
      const newestFirst = await database.query((db) =>
        db
          .selectFrom("messages")
          .selectAll()
          .where("toAgentId", "=", toAgentId)
          .$if(unread, (query) => query.where("readAt", "is", null))
          .$call((query) => newestBefore(query))
          .execute(),
      );
      return newestFirst.reverse().map(toRecord);
    },

    async create(message) {
      await database.transact(async (db) => {
        await db.insertInto("messages").values(toRow(message)).execute();
        const older = db
          .selectFrom("messages")
          .select("id")
          .where("toAgentId", "=", message.toAgentId)
          .$call((query) => newestBefore(query))
          .offset(LIST_LIMIT);
        await db.deleteFrom("messages").where("id", "in", older).where("readAt", "is not", null).execute();
      });
    },

    async markRead(ids, at) {
      await database.transact(async (db) => {
        for (const chunk of inChunks(ids)) {
          // The first reading counts.
          await db
            .updateTable("messages")
            .set({ readAt: at })
            .where("id", "in", chunk)
            .where("readAt", "is", null)
            .execute();
        }
      });
    },
  };
}

const { toRow, toRecord } = rowCodec<MessageRecord, "messages">("messages");
