import type { Transaction } from "kysely";
import { type Database, mustAffect } from "../../database.ts";
import { rowCodec } from "../../query/row.ts";
import type { Schema } from "../../schema.ts";
import type { ConsentKeyRecord, ConsentRecord, ConsentStore, TokenRecord } from "./token-record.ts";

const KEYS_PER_CONSENT = 30;

export function consentStore(database: Database): ConsentStore {
  return {
    async list() {
      const rows = await database.query((db) =>
        db.selectFrom("consents").selectAll().orderBy("createdAt").orderBy("id").execute(),
      );
      return rows.map(consents.toRecord);
    },

    async get(id) {
      const row = await database.query((db) =>
        db.selectFrom("consents").selectAll().where("id", "=", id).executeTakeFirst(),
      );
      return row && consents.toRecord(row);
    },

    async create(consent, key) {
      await database.transact(async (db) => {
        // Their keys and tokens, which have ended too, go with them.
        await db.deleteFrom("consents").where("expiresAt", "<=", consent.createdAt).execute();
        await db.insertInto("consents").values(consents.toRow(consent)).execute();
        await db.insertInto("consentKeys").values(keys.toRow(key)).execute();
      });
    },

    async key(hash) {
      return database.query(async (db) => {
        const key = await db
          .selectFrom("consentKeys")
          .selectAll()
          .where("hash", "=", hash)
          .executeTakeFirst();
        const consent =
          key &&
          (await db.selectFrom("consents").selectAll().where("id", "=", key.consentId).executeTakeFirst());
        return consent && { key: keys.toRecord(key), consent: consents.toRecord(consent) };
      });
    },

    async use(hash, at, { token, refresh, expiresAt }) {
      return database.change("tokens", async (db) => {
        const used = await db
          .updateTable("consentKeys")
          .set({ usedAt: at })
          .where("hash", "=", hash)
          .where("usedAt", "is", null)
          .executeTakeFirst();
        if (used.numUpdatedRows === 0n) return false;

        const { consentId, hash: tokenHash, hint, scopes, expiresAt: tokenExpiresAt } = token;
        const renewed = tokens.toChange({ hash: tokenHash, hint, scopes, expiresAt: tokenExpiresAt });
        await db
          .insertInto("tokens")
          .values(tokens.toRow(token))
          .onConflict((conflict) => conflict.column("id").doUpdateSet(renewed))
          .execute();
        if (refresh) await db.insertInto("consentKeys").values(keys.toRow(refresh)).execute();
        await db.updateTable("consents").set({ expiresAt }).where("id", "=", consentId!).execute();
        await forgetOldKeys(db, consentId!, refresh?.hash ?? hash);
        return true;
      });
    },

    async delete(id) {
      await database.change("tokens", async (db) => {
        const result = await db.deleteFrom("consents").where("id", "=", id).executeTakeFirst();
        mustAffect(result.numDeletedRows, `consent ${id}`);
      });
    },
  };
}

/**
 * A client may renew as often as it likes; only so much of its past is kept, and its newest key in any case: another may have
 * the same time, or a later one where the clock was set back.
 */
async function forgetOldKeys(db: Transaction<Schema>, consentId: string, newest: string): Promise<void> {
  const old = db
    .selectFrom("consentKeys")
    .select("hash")
    .where("consentId", "=", consentId)
    .where("hash", "!=", newest)
    .orderBy("createdAt", "desc")
    .orderBy("hash")
    .limit(KEYS_PER_CONSENT)
    .offset(KEYS_PER_CONSENT - 1);
  await db.deleteFrom("consentKeys").where("hash", "in", old).execute();
}

const consents = rowCodec<ConsentRecord, "consents">("consents");
const keys = rowCodec<ConsentKeyRecord, "consentKeys">("consentKeys");
const tokens = rowCodec<TokenRecord, "tokens">("tokens");
