import type { Database } from "../../database.ts";
import type { VaultKeyStore } from "../../store.ts";

/** There is one row at most. */
const ID = 1;

export function vaultKeyStore(database: Database): VaultKeyStore {
  const get = async () => {
    const row = await database.query((db) =>
      db.selectFrom("vaultKey").select("sealed").where("id", "=", ID).executeTakeFirst(),
    );
    return row && new Uint8Array(row.sealed);
  };

  return {
    get,

    async claim(sealed, at) {
      await database.query((db) =>
        db
          .insertInto("vaultKey")
          .values({ id: ID, sealed, createdAt: at })
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      );
      return (await get()) ?? sealed;
    },
  };
}
