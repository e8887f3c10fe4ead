import type { Migration } from "./migration.ts";

export const embeddings: Migration = {
  name: "0011-embeddings",
  async up(db, types) {
    await db.schema
      .createTable("embeddings")
      .addColumn("id", types.text, (column) => column.notNull())
      .addColumn("model", types.text, (column) => column.notNull())
      .addColumn("vector", types.bytes, (column) => column.notNull())
      .addColumn("used_at", types.number, (column) => column.notNull())
      .addPrimaryKeyConstraint("embeddings_key", ["id"])
      .execute();
    await db.schema.createIndex("embeddings_by_used_at").on("embeddings").column("used_at").execute();
  },
};
