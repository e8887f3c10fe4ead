import type { Migration } from "./migration.ts";

export const customTools: Migration = {
  name: "0008-custom-tools",
  async up(db, types) {
    await db.schema
      .createTable("custom_tools")
      .addColumn("slug", types.text, (column) => column.notNull())
      .addColumn("sha256", types.text, (column) => column.notNull())
      .addColumn("manifest", types.text, (column) => column.notNull())
      .addColumn("enabled_by", types.text, (column) => column.notNull())
      .addColumn("enabled_at", types.number, (column) => column.notNull())
      .addPrimaryKeyConstraint("custom_tools_key", ["slug"])
      .execute();
  },
};
