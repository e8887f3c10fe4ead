import { goesWith, type Migration } from "./migration.ts";

export const rules: Migration = {
  name: "0018-rules",
  async up(db, types) {
    await db.schema
      .createTable("rules")
      .addColumn("id", types.text, (column) => column.notNull())
      .addColumn("agent_id", types.text)
      .addColumn("conversation", types.text)
      .addColumn("permission", types.text, (column) => column.notNull())
      .addColumn("pattern", types.text)
      .addColumn("action", types.text, (column) => column.notNull())
      .addColumn("final", types.flag, (column) => column.notNull())
      .addColumn("after", types.text)
      .addColumn("note", types.text, (column) => column.notNull())
      .addColumn("created_by", types.text, (column) => column.notNull())
      .addColumn("created_at", types.number, (column) => column.notNull())
      .addColumn("expires_at", types.number)
      .addPrimaryKeyConstraint("rules_key", ["id"])
      .addForeignKeyConstraint("rules_refers_agents", ["agent_id"], "agents", ["id"], goesWith)
      .execute();
    await db.schema.createIndex("rules_by_agent_id").on("rules").columns(["agent_id"]).execute();
  },
};
