import type { Migration } from "./migration.ts";

/** Where knowledge comes from. What was read from it lies in the index. */
export const sources: Migration = {
  name: "0024-sources",
  async up(db, types) {
    await db.schema
      .createTable("sources")
      .addColumn("id", types.text, (column) => column.notNull())
      .addColumn("name", types.text, (column) => column.notNull())
      .addColumn("kind", types.text, (column) => column.notNull())
      .addColumn("config", types.text, (column) => column.notNull())
      .addColumn("label", types.text)
      .addColumn("enabled", types.flag, (column) => column.notNull())
      .addColumn("last_sync", types.text)
      .addColumn("created_at", types.number, (column) => column.notNull())
      .addColumn("updated_at", types.number, (column) => column.notNull())
      .addPrimaryKeyConstraint("sources_key", ["id"])
      .addUniqueConstraint("sources_name", ["name"])
      .execute();
  },
};
