import { defineTable, type RowOf } from "../../contract/define-table.ts";
import { type Database, mustAffect, withTables } from "../../machine/db/database.ts";
import { Records } from "../../machine/db/query/records.ts";
import { type SecretRecord, secret, vaultKey } from "./contract.ts";

const secrets = defineTable({
  name: "secrets",
  noun: "secret",
  record: secret,
  key: ["name"],
  sealed: ["sealed", "earlier"],
  sealedAs: { sealed: "secret", earlier: "earlierSecrets" },
  announces: "secrets",
});
const vaultKeys = defineTable({
  name: "vaultKey",
  noun: "key",
  record: vaultKey,
  sealed: ["sealed"],
  sealedAs: { sealed: "key" },
});

export const TABLES = [secrets, vaultKeys];

/** Sealed secrets. Every process notices a change. */
export class SecretTable {
  readonly #records: Records<typeof secrets>;

  constructor(database: Database) {
    this.#records = new Records(database, secrets);
  }

  /** By name. */
  list(): Promise<SecretRecord[]> {
    return this.#records.list(["name"]);
  }

  /** A secret that exists keeps the time at which it was created. */
  put(record: SecretRecord): Promise<void> {
    return this.#records.put(record, { keep: ["createdAt"] });
  }

  /** False, and nothing is changed, if `sealed` is no longer `was` or the secret is gone. */
  async replace(
    name: string,
    change: Pick<SecretRecord, "sealed" | "source" | "bindings">,
    was: Uint8Array,
  ): Promise<boolean> {
    return (await this.#records.update({ name, sealed: was }, change)) > 0;
  }

  /** Throws NOT_FOUND. */
  async delete(name: string): Promise<void> {
    mustAffect(BigInt(await this.#records.deleteAny({ name })), `secret named "${name}"`);
  }
}

interface Rows {
  vaultKey: RowOf<typeof vaultKeys>;
}

/** There is at most one row. */
const ID = 1;

/** A value sealed with the key of this store's secrets, so that another key is noticed before the first secret is read. */
export class VaultKeyTable {
  readonly #database: Database<Rows>;
  readonly #records: Records<typeof vaultKeys>;

  constructor(database: Database) {
    this.#database = withTables(database);
    this.#records = new Records(database, vaultKeys);
  }

  async get(): Promise<Uint8Array | undefined> {
    return (await this.#records.find({ id: ID }))?.sealed;
  }

  /** Keeps the first value that comes; resolves with the one that is kept. */
  async claim(sealed: Uint8Array, at: number): Promise<Uint8Array> {
    await this.#database.query((db) =>
      db
        .insertInto("vaultKey")
        .values({ id: ID, sealed, createdAt: at })
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    );
    return (await this.get()) ?? sealed;
  }
}
