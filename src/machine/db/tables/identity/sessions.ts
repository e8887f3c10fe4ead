import type { Kysely } from "kysely";
import { type Database, mustAffect } from "../../database.ts";
import { rowCodec } from "../../query/row.ts";
import type { Schema } from "../../schema.ts";
import type { LoginCodeRecord, SessionRecord, SessionStore } from "./person-record.ts";

export function sessionStore(database: Database): SessionStore {
  return {
    async list() {
      const rows = await database.query((db) =>
        db.selectFrom("sessions").selectAll().orderBy("createdAt").orderBy("id").execute(),
      );
      return rows.map(sessions.toRecord);
    },

    async byHash(hash) {
      const row = await database.query((db) =>
        db.selectFrom("sessions").selectAll().where("hash", "=", hash).executeTakeFirst(),
      );
      return row && sessions.toRecord(row);
    },

    async putCode(code, most) {
      await database.transact(async (db) => {
        await db.deleteFrom("loginCodes").where("expiresAt", "<=", code.createdAt).execute();
        await db.insertInto("loginCodes").values(codes.toRow(code)).execute();
        await keepNewest(db, "loginCodes", { key: "hash", made: code.hash, personId: code.personId, most });
      });
    },

    async redeem(codeHash, session, most) {
      const { createdAt: now } = session;
      const isGood = await database.query((db) =>
        db
          .selectFrom("loginCodes")
          .select("hash")
          .where("hash", "=", codeHash)
          .where("expiresAt", ">", now)
          .executeTakeFirst(),
      );
      // Before anything is announced: whoever guesses must not keep every process busy.
      if (!isGood) return undefined;
      return database.change("people", async (db) => {
        const taken = await db
          .deleteFrom("loginCodes")
          .where("hash", "=", codeHash)
          .returning("personId")
          .executeTakeFirst();
        if (!taken) return undefined;
        const opened: SessionRecord = { ...session, personId: taken.personId };
        await db.deleteFrom("sessions").where("expiresAt", "<=", now).execute();
        await db.insertInto("sessions").values(sessions.toRow(opened)).execute();
        await keepNewest(db, "sessions", { key: "id", made: opened.id, personId: opened.personId, most });
        return opened;
      });
    },

    async touch(id, at) {
      await database.transact(async (db) => {
        const session = await db
          .updateTable("sessions")
          .set({ lastUsedAt: at })
          .where("id", "=", id)
          .where("lastUsedAt", "<", at)
          .returning("personId")
          .executeTakeFirst();
        if (!session) return;
        await db
          .updateTable("people")
          .set({ lastSeenAt: at })
          .where("id", "=", session.personId)
          .where((row) => row.or([row("lastSeenAt", "is", null), row("lastSeenAt", "<", at)]))
          .execute();
      });
    },

    async delete(id) {
      await database.change("people", async (db) => {
        const result = await db.deleteFrom("sessions").where("id", "=", id).executeTakeFirst();
        mustAffect(result.numDeletedRows, `session ${id}`);
      });
    },

    async deleteOf(personId, except) {
      return database.change("people", async (db) => {
        const { numDeletedRows } = await db
          .deleteFrom("sessions")
          .where("personId", "=", personId)
          .$if(except !== undefined, (query) => query.where("id", "!=", except!))
          .executeTakeFirst();
        // A link that was not used yet would open another one.
        if (except === undefined)
          await db.deleteFrom("loginCodes").where("personId", "=", personId).execute();
        return Number(numDeletedRows);
      });
    },
  };
}

/** SQLite wants a limit where there is an offset. */
const MANY = 1_000;
const sessions = rowCodec<SessionRecord, "sessions">("sessions");
const codes = rowCodec<LoginCodeRecord, "loginCodes">("loginCodes");

/** Removes what a person has beyond the newest `most`. */
async function keepNewest(
  db: Kysely<Schema>,
  table: "loginCodes" | "sessions",
  kept: { key: "hash" | "id"; made: string; personId: string; most: number },
): Promise<void> {
  const { key, made, personId, most } = kept;
  // Codes have the columns that are named here as well.
  const rows = table as "sessions";
  const beyond = db
    .selectFrom(rows)
    .select(key)
    .where("personId", "=", personId)
    // The one just made stays, whatever the clock says: others may have the same time, or a later one.
    .where(key, "!=", made)
    .orderBy("createdAt", "desc")
    .orderBy(key)
    .limit(MANY)
    .offset(most - 1);
  await db.deleteFrom(rows).where(key, "in", beyond).execute();
}
