import type { Transaction } from "kysely";
import { type Database, withTables } from "../../machine/db/database.ts";
import { Records } from "../../machine/db/query/records.ts";
import { codecOf } from "../../machine/db/query/row.ts";
import type { ConsentKeyRecord, ConsentRecord, TokenRecord } from "./contract.ts";
import { consentKeys, consents, type IdentityRows, tokens } from "./tables.ts";

const MAX_KEYS = 30;

/** The records that the use of a consent's key writes. */
export interface IssuedRecords {
  /** Its `consentId` is set. It replaces the token with the same id, which then opens nothing any more. */
  readonly token: TokenRecord;
  readonly refresh: ConsentKeyRecord | null;
  /** When the consent now ends. */
  readonly expiresAt: number;
}

/** Consents, and the keys that clients exchange for tokens. */
export class ConsentTable {
  readonly #database: Database<IdentityRows>;
  readonly #records: Records<typeof consents>;

  constructor(database: Database) {
    this.#database = withTables(database);
    this.#records = new Records(database, consents);
  }

  /** Oldest first. */
  list(): Promise<ConsentRecord[]> {
    return this.#records.list(["createdAt", "id"]);
  }

  get(id: string): Promise<ConsentRecord | undefined> {
    return this.#records.find({ id });
  }

  /** Also deletes the consents that have ended. */
  async create(consent: ConsentRecord, code: ConsentKeyRecord): Promise<void> {
    await this.#database.transact(async (db) => {
      // Their keys and tokens, which have ended too, go with them.
      await db.deleteFrom("consents").where("expiresAt", "<=", consent.createdAt).execute();
      await db.insertInto("consents").values(codecOf(consents).toRow(consent)).execute();
      await db.insertInto("consentKeys").values(codecOf(consentKeys).toRow(code)).execute();
    });
  }

  async key(hash: string): Promise<{ key: ConsentKeyRecord; consent: ConsentRecord } | undefined> {
    return this.#database.query(async (db) => {
      const key = await db.selectFrom("consentKeys").selectAll().where("hash", "=", hash).executeTakeFirst();
      const consent =
        key &&
        (await db.selectFrom("consents").selectAll().where("id", "=", key.consentId).executeTakeFirst());
      return (
        consent && { key: codecOf(consentKeys).toRecord(key), consent: codecOf(consents).toRecord(consent) }
      );
    });
  }

  /**
   * Notes the use of a key and writes what is issued for it, in one step; only one of several processes can do it. False
   * when the key was used before or is gone: then nothing was written.
   */
  async use(hash: string, at: number, { token, refresh, expiresAt }: IssuedRecords): Promise<boolean> {
    return this.#database.change("tokens", async (db) => {
      const used = await db
        .updateTable("consentKeys")
        .set({ usedAt: at })
        .where("hash", "=", hash)
        .where("usedAt", "is", null)
        .executeTakeFirst();
      if (used.numUpdatedRows === 0n) return false;

      const { consentId, hash: tokenHash, hint, scopes, expiresAt: tokenExpiresAt } = token;
      const codec = codecOf(tokens);
      const renewed = codec.toChange({ hash: tokenHash, hint, scopes, expiresAt: tokenExpiresAt });
      await db
        .insertInto("tokens")
        .values(codec.toRow(token))
        .onConflict((conflict) => conflict.column("id").doUpdateSet(renewed))
        .execute();
      if (refresh) await db.insertInto("consentKeys").values(codecOf(consentKeys).toRow(refresh)).execute();
      await db.updateTable("consents").set({ expiresAt }).where("id", "=", consentId!).execute();
      await deleteOldKeys(db, consentId!, refresh?.hash ?? hash);
      return true;
    });
  }

  /** Its keys and tokens end with it. */
  delete(id: string): Promise<void> {
    return this.#records.delete({ id });
  }

  /** Deletes consents that ended before a time, oldest first; resolves with their number. */
  prune(before: number, limit: number): Promise<number> {
    return this.#records.prune("expiresAt", before, limit);
  }
}

/**
 * A client may renew as often as it likes, so only some of its old keys are kept. The newest stays in any case: others may
 * have the same time, or a later one if the clock was set back.
 */
async function deleteOldKeys(
  db: Transaction<IdentityRows>,
  consentId: string,
  newest: string,
): Promise<void> {
  const old = db
    .selectFrom("consentKeys")
    .select("hash")
    .where("consentId", "=", consentId)
    .where("hash", "!=", newest)
    .orderBy("createdAt", "desc")
    .orderBy("hash")
    .limit(MAX_KEYS)
    .offset(MAX_KEYS - 1);
  await db.deleteFrom("consentKeys").where("hash", "in", old).execute();
}
