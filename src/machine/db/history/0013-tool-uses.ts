import { goesWith, type Migration } from "./migration.ts";

export const toolUses: Migration = {
  name: "0013-tool-uses",
  async up(db, types) {
    await db.schema
      .createTable("tool_uses")
      .addColumn("id", types.text, (column) => column.notNull())
      .addColumn("agent_id", types.text, (column) => column.notNull())
      .addColumn("term", types.text, (column) => column.notNull())
      .addColumn("tool", types.text, (column) => column.notNull())
      .addColumn("count", types.number, (column) => column.notNull())
      .addColumn("used_at", types.number, (column) => column.notNull())
      .addPrimaryKeyConstraint("tool_uses_key", ["id"])
      .addForeignKeyConstraint("tool_uses_refers_agents", ["agent_id"], "agents", ["id"], goesWith)
      .execute();
    await db.schema
      .createIndex("tool_uses_by_agent_id_used_at")
      .on("tool_uses")
      .columns(["agent_id", "used_at"])
      .execute();
  },
};
