import { type Database, mustAffect } from "../../database.ts";
import { rowCodec } from "../../query/row.ts";
import type { SecretRecord, SecretStore } from "../../store.ts";

export function secretStore(database: Database): SecretStore {
  return {
    async list() {
      const rows = await database.query((db) =>
        db.selectFrom("secrets").selectAll().orderBy("name").execute(),
      );
      return rows.map(toRecord);
    },

    async put(secret) {
      const { name: _name, createdAt: _createdAt, ...change } = secret;
      await database.change("secrets", (db) =>
        db
          .insertInto("secrets")
          .values(toRow(secret))
          .onConflict((conflict) => conflict.column("name").doUpdateSet(toChange(change)))
          .execute(),
      );
    },

    async replace(name, change, was) {
      const result = await database.change("secrets", (db) =>
        db
          .updateTable("secrets")
          .set(toChange(change))
          .where("name", "=", name)
          .where("sealed", "=", was)
          .executeTakeFirst(),
      );
      return result.numUpdatedRows > 0n;
    },

    async delete(name) {
      const result = await database.change("secrets", (db) =>
        db.deleteFrom("secrets").where("name", "=", name).executeTakeFirst(),
      );
      mustAffect(result.numDeletedRows, `secret named "${name}"`);
    },
  };
}

const { toRow, toChange, toRecord } = rowCodec<SecretRecord, "secrets">("secrets");
