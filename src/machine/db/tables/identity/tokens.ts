import { type Database, mustAffect, unlessTaken } from "../../database.ts";
import { rowCodec } from "../../query/row.ts";
import type { TokenRecord, TokenStore } from "../../store.ts";

export function tokenStore(database: Database): TokenStore {
  return {
    async list() {
      const rows = await database.query((db) =>
        db.selectFrom("tokens").selectAll().orderBy("createdAt").orderBy("id").execute(),
      );
      return rows.map(toRecord);
    },

    async has(hash) {
      const row = await database.query((db) =>
        db.selectFrom("tokens").select("id").where("hash", "=", hash).executeTakeFirst(),
      );
      return row !== undefined;
    },

    async create(token) {
      const created = database.change("tokens", (db) =>
        db.insertInto("tokens").values(toRow(token)).execute(),
      );
      await unlessTaken(`The token ${token.id}`, created);
    },

    async delete(id) {
      await database.change("tokens", async (db) => {
        const token = await db
          .selectFrom("tokens")
          .select("consentId")
          .where("id", "=", id)
          .executeTakeFirst();
        mustAffect(token ? 1n : 0n, `token ${id}`);
        // One that a client can renew ends with what it is renewed by, and goes with it.
        if (token?.consentId) await db.deleteFrom("consents").where("id", "=", token.consentId).execute();
        await db.deleteFrom("tokens").where("id", "=", id).execute();
      });
    },

    async touch(id, at) {
      // A token deleted while its last call was under way is no error, and a late note never turns time back.
      await database.query((db) =>
        db
          .updateTable("tokens")
          .set({ lastUsedAt: at })
          .where("id", "=", id)
          .where((row) => row.or([row("lastUsedAt", "is", null), row("lastUsedAt", "<", at)]))
          .execute(),
      );
    },
  };
}

const { toRow, toRecord } = rowCodec<TokenRecord, "tokens">("tokens");
