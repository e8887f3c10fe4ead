import type { Migration } from "./migration.ts";

export const replicas: Migration = {
  name: "0004-replicas",
  async up(db, types) {
    await db.schema
      .createTable("vault_key")
      .addColumn("id", types.number, (column) => column.notNull())
      .addColumn("sealed", types.bytes, (column) => column.notNull())
      .addColumn("created_at", types.number, (column) => column.notNull())
      .addPrimaryKeyConstraint("vault_key_key", ["id"])
      .execute();
    await db.schema
      .createTable("claims")
      .addColumn("id", types.text, (column) => column.notNull())
      .addColumn("expires_at", types.number, (column) => column.notNull())
      .addPrimaryKeyConstraint("claims_key", ["id"])
      .execute();
  },
};
