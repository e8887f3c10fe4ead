import type { ExpressionBuilder, ExpressionWrapper, Kysely, SqlBool } from "kysely";
import type { Database } from "../../database.ts";
import { newestBefore } from "../../query/newest-before.ts";
import { rowCodec } from "../../query/row.ts";
import type { Schema } from "../../schema.ts";
import type { QuestionRecord, QuestionStore } from "../../store.ts";
import type { QuestionFilter } from "./question-record.ts";

export function questionStore(database: Database): QuestionStore {
  const { sharing } = database.dialect;
  return {
    async list({ state, visible, kind, agentId, before, limit } = {}) {
      const newestFirst = await database.query((db) =>
        db
          .selectFrom("questions")
          .selectAll()
          .where("batchId", "is", null)
          .$if(state !== undefined, (query) => query.where("state", "=", state!))
          .$if(agentId !== undefined, (query) => query.where("agentId", "=", agentId!))
          .$if(kind !== undefined, (query) => query.where("kind", "=", kind!))
          .$if(visible !== undefined, (query) => query.where((is) => isVisibly(is, visible!)))
          .$call((query) => newestBefore(query, { before, limit }))
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

    async countOpen(digests, now) {
      if (digests.length === 0) return new Map();
      const rows = await database.query((db) =>
        db
          .selectFrom("questions")
          .select("digest")
          .where("digest", "in", digests)
          .where("state", "in", OPEN)
          .where("expiresAt", ">", now)
          .execute(),
      );
      const counts = new Map<string, number>();
      for (const { digest } of rows) counts.set(digest, (counts.get(digest) ?? 0) + 1);
      return counts;
    },

    async refused(digest, since) {
      const row = await database.query((db) =>
        db
          .selectFrom("questions")
          .selectAll()
          .where("digest", "=", digest)
          .where("state", "in", SETTLED)
          .where("answeredAt", ">=", since)
          .where((either) => either.or([either("answer", "=", "reject"), either("answer", "is", null)]))
          .orderBy("answeredAt", "desc")
          .limit(1)
          .executeTakeFirst(),
      );
      return row && toRecord(row);
    },

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

    async createBatch(shown, members) {
      await database.transact(async (db) => {
        await db
          .insertInto("questions")
          .values([shown, ...members].map(toRow))
          .execute();
        await sharing.tellOfQuestion(db, shown);
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
        if (result.numUpdatedRows === 0n) return false;
        const state = change.state ?? from;
        await sharing.tellOfQuestion(db, { id, state });
        for (const member of await membersOf(db, id, from)) {
          await db
            .updateTable("questions")
            .set({ ...toChange(change), id: member })
            .where("id", "=", member)
            .execute();
          await sharing.tellOfQuestion(db, { id: member, state });
        }
        return true;
      });
    },
  };
}

const OPEN = ["pending", "answered"];
const SETTLED = ["answered", "dismissed", "used"];

/** What `visibleState` says, in SQL. */
function isVisibly(
  is: ExpressionBuilder<Schema, "questions">,
  { state, now }: NonNullable<QuestionFilter["visible"]>,
): ExpressionWrapper<Schema, "questions", SqlBool> {
  switch (state) {
    case "pending":
      return is.and([is("state", "=", "pending"), is("expiresAt", ">", now)]);
    case "expired":
      return is.and([is("state", "=", "pending"), is("expiresAt", "<=", now)]);
    case "settled":
      return is.or([is("state", "!=", "pending"), is("expiresAt", "<=", now)]);
    case "used":
      return is.and([is("state", "=", "used"), is("answer", "is not", null)]);
    case "dismissed":
      return is.or([
        is("state", "=", "dismissed"),
        is.and([is("state", "=", "used"), is("answer", "is", null)]),
      ]);
    case "answered":
      return is.and([is("state", "=", "answered")]);
  }
}

async function membersOf(db: Kysely<Schema>, id: string, state: string): Promise<string[]> {
  const rows = await db
    .selectFrom("questions")
    .select("id")
    .where("batchId", "=", id)
    .where("state", "=", state)
    .execute();
  return rows.map((row) => row.id);
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
    .where("state", "in", OPEN)
    .where("expiresAt", ">", now)
    .orderBy("createdAt")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row && toRecord(row);
}

const { toRow, toChange, toRecord } = rowCodec<QuestionRecord, "questions">("questions");
