import { type Database, mustAffect } from "../../database.ts";
import type { TrustStore } from "../../store.ts";

export function trustStore(database: Database): TrustStore {
  return {
    async has(path, sha256) {
      const row = await database.query((db) =>
        db
          .selectFrom("trust")
          .select("path")
          .where("path", "=", path)
          .where("sha256", "=", sha256)
          .executeTakeFirst(),
      );
      return row !== undefined;
    },

    list: () => database.query((db) => db.selectFrom("trust").selectAll().orderBy("path").execute()),

    async put(path, sha256, at) {
      await database.query((db) =>
        db
          .insertInto("trust")
          .values({ path, sha256, at })
          .onConflict((conflict) => conflict.column("path").doUpdateSet({ sha256, at }))
          .execute(),
      );
    },

    async delete(path) {
      const result = await database.query((db) =>
        db.deleteFrom("trust").where("path", "=", path).executeTakeFirst(),
      );
      mustAffect(result.numDeletedRows, `trusted file ${path}`);
    },
  };
}
