import type { Migration } from "./migration.ts";

export const memories: Migration = {
  name: "0007-memories",
  async up(db, types) {
    await db.schema
      .createTable("memories")
      .addColumn("id", types.text, (column) => column.notNull())
      // Refers to no agent on purpose: the person at the command line, who has no row, remembers things too.
      .addColumn("agent_id", types.text, (column) => column.notNull())
      .addColumn("text", types.text, (column) => column.notNull())
      .addColumn("tags", types.text, (column) => column.notNull())
      .addColumn("revision", types.number, (column) => column.notNull())
      .addColumn("created_at", types.number, (column) => column.notNull())
      .addColumn("updated_at", types.number, (column) => column.notNull())
      .addColumn("last_used_at", types.number)
      .addPrimaryKeyConstraint("memories_key", ["id"])
      .execute();
    await db.schema
      .createIndex("memories_by_agent_id_created_at")
      .on("memories")
      .columns(["agent_id", "created_at"])
      .execute();
    // Whoever put a secret there may replace it; for all others a person is asked.
    await db.schema.alterTable("secrets").addColumn("set_by", types.text).execute();
  },
};
