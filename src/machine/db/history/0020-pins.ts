import { goesWith, type Migration } from "./migration.ts";

export const pins: Migration = {
  name: "0020-pins",
  async up(db, types) {
    await db.schema
      .createTable("pins")
      .addColumn("server_id", types.text, (column) => column.notNull())
      .addColumn("kind", types.text, (column) => column.notNull())
      .addColumn("key", types.text, (column) => column.notNull())
      .addColumn("accepted", types.text)
      .addColumn("accepted_as", types.text)
      .addColumn("held", types.text)
      .addColumn("held_as", types.text)
      .addColumn("rejected", types.text)
      .addColumn("changed_at", types.number, (column) => column.notNull())
      .addPrimaryKeyConstraint("pins_key", ["server_id", "kind", "key"])
      .addForeignKeyConstraint("pins_refers_servers", ["server_id"], "servers", ["id"], goesWith)
      .execute();
    await db.schema
      .createTable("tool_capabilities")
      .addColumn("server_id", types.text, (column) => column.notNull())
      .addColumn("original_name", types.text, (column) => column.notNull())
      .addColumn("capabilities", types.text, (column) => column.notNull())
      .addColumn("set_at", types.number, (column) => column.notNull())
      .addPrimaryKeyConstraint("tool_capabilities_key", ["server_id", "original_name"])
      .addForeignKeyConstraint("tool_capabilities_refers_servers", ["server_id"], "servers", ["id"], goesWith)
      .execute();
  },
};
