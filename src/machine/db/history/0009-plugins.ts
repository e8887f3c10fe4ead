import type { Migration } from "./migration.ts";

export const plugins: Migration = {
  name: "0009-plugins",
  async up(db, types) {
    await db.schema
      .createTable("plugins")
      .addColumn("name", types.text, (column) => column.notNull())
      .addColumn("package_name", types.text, (column) => column.notNull())
      .addColumn("version", types.text, (column) => column.notNull())
      .addColumn("description", types.text, (column) => column.notNull())
      .addColumn("source", types.text, (column) => column.notNull())
      .addColumn("sha256", types.text, (column) => column.notNull())
      .addColumn("permissions", types.text, (column) => column.notNull())
      .addColumn("enabled", types.flag, (column) => column.notNull())
      .addColumn("agreed", types.text)
      .addColumn("tools", types.text, (column) => column.notNull())
      .addColumn("created_at", types.number, (column) => column.notNull())
      .addColumn("updated_at", types.number, (column) => column.notNull())
      .addPrimaryKeyConstraint("plugins_key", ["name"])
      .execute();
  },
};
