import { goesWith, type Migration } from "./migration.ts";

export const outputs: Migration = {
  name: "0010-outputs",
  async up(db, types) {
    await db.schema
      .createTable("outputs")
      .addColumn("id", types.text, (column) => column.notNull())
      // The operator has outputs too, and is no agent: this refers to nothing.
      .addColumn("agent_id", types.text, (column) => column.notNull())
      .addColumn("conversation", types.text, (column) => column.notNull())
      .addColumn("chars", types.number, (column) => column.notNull())
      .addColumn("bytes", types.number, (column) => column.notNull())
      .addColumn("created_at", types.number, (column) => column.notNull())
      .addPrimaryKeyConstraint("outputs_key", ["id"])
      .execute();
    await db.schema
      .createTable("output_pieces")
      .addColumn("output_id", types.text, (column) => column.notNull())
      .addColumn("position", types.number, (column) => column.notNull())
      .addColumn("text", types.text, (column) => column.notNull())
      .addPrimaryKeyConstraint("output_pieces_key", ["output_id", "position"])
      .addForeignKeyConstraint("output_pieces_refers_outputs", ["output_id"], "outputs", ["id"], goesWith)
      .execute();
    await db.schema
      .createIndex("outputs_by_agent_id_created_at")
      .on("outputs")
      .columns(["agent_id", "created_at"])
      .execute();
  },
};
