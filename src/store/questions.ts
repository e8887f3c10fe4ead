import type { Kysely } from "kysely";
import type { Database } from "./database.ts";
import { LIST_LIMIT } from "./limits.ts";
import { rowCodec } from "./row.ts";
import type { Schema } from "./schema.ts";
import type { QuestionRecord, QuestionStore } from "./store.ts";

export function questionStore(database: Database): QuestionStore {
  const { sharing } = database.dialect;
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

    open: (digest, now) => database.query((db) => findOpen(db, digest, now)),

    async create(question) {
      return await database.transact(async (db) => {
        await sharing.lock(db, `question ${question.digest}`);
        const open = await findOpen(db, question.digest, question.createdAt);
        if (open) return open;
        await db.insertInto("questions").values(toRow(question)).execute();
        await sharing.tellOfQuestion(db, question);
        return question;
      });
    },

    async move(id, from, change) {
      return await database.transact(async (db) => {
        const result = await db
          .updateTable("questions")
          .set({ ...toChange(change), id })
          .where("id", "=", id)
          .where("state", "=", from)
          .executeTakeFirst();
        const moved = result.numUpdatedRows > 0n;
        if (moved) await sharing.tellOfQuestion(db, { id, state: change.state ?? from });
        return moved;
      });
    },
  };
}

async function findOpen(
  db: Kysely<Schema>,
  digest: string,
  now: number,
): Promise<QuestionRecord | undefined> {
  const row = await db
    .selectFrom("questions")
    .selectAll()
    .where("digest", "=", digest)
    .where("state", "in", ["pending", "answered"])
    .where("expiresAt", ">", now)
    .orderBy("createdAt")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row && toRecord(row);
}

const { toRow, toChange, toRecord } = rowCodec<QuestionRecord, "questions">("questions");
