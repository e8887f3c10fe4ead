import { goesWith, type Migration } from "./migration.ts";

export const activations: Migration = {
  name: "0012-activations",
  async up(db, types) {
    await db.schema
      .createTable("activations")
      .addColumn("id", types.text, (column) => column.notNull())
      .addColumn("agent_id", types.text, (column) => column.notNull())
      .addColumn("conversation", types.text, (column) => column.notNull())
      .addColumn("tool", types.text, (column) => column.notNull())
      // A token that is gone does not end the conversations that it began.
      .addColumn("token_id", types.text)
      .addColumn("used_at", types.number, (column) => column.notNull())
      .addPrimaryKeyConstraint("activations_key", ["id"])
      .addForeignKeyConstraint("activations_refers_agents", ["agent_id"], "agents", ["id"], goesWith)
      .execute();
    await db.schema
      .createIndex("activations_by_agent_id_used_at")
      .on("activations")
      .columns(["agent_id", "used_at"])
      .execute();
    await db.schema
      .createIndex("activations_by_conversation")
      .on("activations")
      .columns(["agent_id", "conversation"])
      .execute();
    await db.schema
      .alterTable("agents")
      .addColumn("pins", types.text, (column) => column.notNull().defaultTo("[]"))
      .execute();
    await db.schema.alterTable("agents").addColumn("model", types.text).execute();
  },
};
