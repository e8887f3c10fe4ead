import type { Kysely } from "kysely";
import { type Database, withTables } from "../../machine/db/database.ts";
import { Records } from "../../machine/db/query/records.ts";
import { codecOf } from "../../machine/db/query/row.ts";
import type { LoginCodeRecord, SessionRecord } from "./contract.ts";
import { type IdentityRows, loginCodes, sessions } from "./tables.ts";

/** SQLite needs a limit where there is an offset. */
const NO_LIMIT = 1_000;

/** Sessions, and the codes of login links. */
export class SessionTable {
  readonly #database: Database<IdentityRows>;
  readonly #records: Records<typeof sessions>;

  constructor(database: Database) {
    this.#database = withTables(database);
    this.#records = new Records(database, sessions);
  }

  /** Oldest first. */
  list(): Promise<SessionRecord[]> {
    return this.#records.list(["createdAt", "id"]);
  }

  byHash(hash: string): Promise<SessionRecord | undefined> {
    return this.#records.find({ hash });
  }

  /** Also deletes codes that have ended, and those of the person beyond the newest `most`. */
  async putCode(code: LoginCodeRecord, most: number): Promise<void> {
    await this.#database.transact(async (db) => {
      await db.deleteFrom("loginCodes").where("expiresAt", "<=", code.createdAt).execute();
      await db.insertInto("loginCodes").values(codecOf(loginCodes).toRow(code)).execute();
      const { hash, personId } = code;
      await keepNewest(db, "loginCodes", { key: "hash", created: hash, personId, most });
    });
  }

  /**
   * Deletes a code and opens the session of its person, in one step; only one of several processes can do it. Undefined
   * when the code is unknown, used or too old. Also deletes sessions that have ended, and those of the person beyond the
   * newest `most`.
   */
  async redeem(
    codeHash: string,
    session: Omit<SessionRecord, "personId">,
    most: number,
  ): Promise<SessionRecord | undefined> {
    const { createdAt: now } = session;
    const code = await this.#database.query((db) =>
      db
        .selectFrom("loginCodes")
        .select("hash")
        .where("hash", "=", codeHash)
        .where("expiresAt", ">", now)
        .executeTakeFirst(),
    );
    // Before anything is announced: guessing codes must not keep every process busy.
    if (!code) return undefined;
    return this.#database.change("people", async (db) => {
      const redeemed = await db
        .deleteFrom("loginCodes")
        .where("hash", "=", codeHash)
        .returning("personId")
        .executeTakeFirst();
      if (!redeemed) return undefined;
      const opened: SessionRecord = { ...session, personId: redeemed.personId };
      await db.deleteFrom("sessions").where("expiresAt", "<=", now).execute();
      await db.insertInto("sessions").values(codecOf(sessions).toRow(opened)).execute();
      await keepNewest(db, "sessions", { key: "id", created: opened.id, personId: opened.personId, most });
      return opened;
    });
  }

  /** Also notes when its person was last seen. A session that is gone is no error, and the time never goes back. */
  async touch(id: string, at: number): Promise<void> {
    await this.#database.transact(async (db) => {
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
  }

  /** Throws NOT_FOUND. */
  delete(id: string): Promise<void> {
    return this.#records.delete({ id });
  }

  /** Deletes all of a person except the one named; without one, their codes too. Resolves with the number of sessions. */
  async deleteOf(personId: string, except?: string): Promise<number> {
    return this.#database.change("people", async (db) => {
      const { numDeletedRows } = await db
        .deleteFrom("sessions")
        .where("personId", "=", personId)
        .$if(except !== undefined, (query) => query.where("id", "!=", except!))
        .executeTakeFirst();
      // An unused link would open another session.
      if (except === undefined) await db.deleteFrom("loginCodes").where("personId", "=", personId).execute();
      return Number(numDeletedRows);
    });
  }
}

/** Deletes what a person has beyond the newest `most`. */
async function keepNewest(
  db: Kysely<IdentityRows>,
  table: "loginCodes" | "sessions",
  { key, created, personId, most }: { key: "hash" | "id"; created: string; personId: string; most: number },
): Promise<void> {
  // Codes have the columns that are named here, too.
  const rows = table as "sessions";
  const excess = db
    .selectFrom(rows)
    .select(key)
    .where("personId", "=", personId)
    // The newest row stays, whatever the clock says: others may have the same time, or a later one.
    .where(key, "!=", created)
    .orderBy("createdAt", "desc")
    .orderBy(key)
    .limit(NO_LIMIT)
    .offset(most - 1);
  await db.deleteFrom(rows).where(key, "in", excess).execute();
}
