import type { Database } from "../../database.ts";
import type { ClaimStore } from "../../store.ts";

export function claimStore(database: Database): ClaimStore {
  return {
    async take(id, expiresAt) {
      const result = await database.query((db) =>
        db
          .insertInto("claims")
          .values({ id, expiresAt })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst(),
      );
      return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
    },

    async giveBack(id) {
      await database.query((db) => db.deleteFrom("claims").where("id", "=", id).execute());
    },
  };
}
