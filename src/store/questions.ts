import type { Database } from "./database.ts";
import { LIST_LIMIT } from "./limits.ts";
import { rowCodec } from "./row.ts";
import type { QuestionRecord, QuestionStore } from "./store.ts";

export function questionStore(database: Database): QuestionStore {
  return {
    async list({ state, agentId } = {}) {
      const newestFirst = await database.query((db) =>
        db
          .selectFrom("questions")
          .selectAll()
          .$if(state !== undefined, (query) => query.where("state", "=", state!))
          .$if(agentId !== undefined, (query) => query.where("agentId", "=", agentId!))
          .orderBy("createdAt", "desc")
          .orderBy("id", "desc")
          .limit(LIST_LIMIT)
          .execute(),
      );
      return newestFirst.reverse().map(toRecord);
    },

    async get(id) {
      const row = await database.query((db) =>
        db.selectFrom("questions").selectAll().where("id", "=", id).executeTakeFirst(),
      );
      return row && toRecord(row);
    },

    async open(digest, now) {
      const row = await database.query((db) =>
        db
          .selectFrom("questions")
          .selectAll()
          .where("digest", "=", digest)
          .where("state", "in", ["pending", "answered"])
          .where("expiresAt", ">", now)
          .orderBy("createdAt")
          .orderBy("id")
          .limit(1)
          .executeTakeFirst(),
      );
      return row && toRecord(row);
    },

    async create(question) {
      await database.query((db) => db.insertInto("questions").values(toRow(question)).execute());
    },

    async move(id, from, change) {
      const result = await database.query((db) =>
        db
          .updateTable("questions")
          .set({ ...toChange(change), id })
          .where("id", "=", id)
          .where("state", "=", from)
          .executeTakeFirst(),
      );
      return result.numUpdatedRows > 0n;
    },
  };
}

const { toRow, toChange, toRecord } = rowCodec<QuestionRecord, "questions">("questions");
