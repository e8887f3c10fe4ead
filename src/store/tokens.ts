import { type Database, mustAffect, unlessTaken } from "./database.ts";
import { rowCodec } from "./row.ts";
import type { TokenRecord, TokenStore } from "./store.ts";

export function tokenStore(database: Database): TokenStore {
  return {
    async list() {
      const rows = await database.query((db) =>
        db.selectFrom("tokens").selectAll().orderBy("createdAt").orderBy("id").execute(),
      );
      return rows.map(toRecord);
    },

    async create(token) {
      const created = database.change((db) => db.insertInto("tokens").values(toRow(token)).execute());
      await unlessTaken(`The token ${token.id}`, created);
    },

    async delete(id) {
      await database.change(async (db) => {
        const result = await db.deleteFrom("tokens").where("id", "=", id).executeTakeFirst();
        mustAffect(result.numDeletedRows, `token ${id}`);
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
