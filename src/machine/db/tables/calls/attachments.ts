import type { Database } from "../../database.ts";
import { LIST_LIMIT } from "../../query/limits.ts";
import { rowCodec } from "../../query/row.ts";
import type { AttachmentRecord, AttachmentStore } from "../../store.ts";

export function attachmentStore(database: Database): AttachmentStore {
  return {
    async list({ agentId } = {}) {
      const newestFirst = await database.query((db) =>
        db
          .selectFrom("attachments")
          .selectAll()
          .$if(agentId !== undefined, (query) => query.where("agentId", "=", agentId!))
          .orderBy("createdAt", "desc")
          .orderBy("id", "desc")
          .limit(LIST_LIMIT)
          .execute(),
      );
      return newestFirst.reverse().map(toRecord);
    },

    async create(attachment) {
      await database.query((db) => db.insertInto("attachments").values(toRow(attachment)).execute());
    },
  };
}

const { toRow, toRecord } = rowCodec<AttachmentRecord, "attachments">("attachments");
