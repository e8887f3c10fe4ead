import type { Migration } from "./migration.ts";

export const labels: Migration = {
  name: "0019-labels",
  async up(db, types) {
    await db.schema
      .createTable("labels")
      .addColumn("id", types.text, (column) => column.notNull())
      .addColumn("agent_id", types.text, (column) => column.notNull())
      .addColumn("conversation", types.text, (column) => column.notNull())
      .addColumn("labels", types.text, (column) => column.notNull())
      .addColumn("labelled_at", types.number, (column) => column.notNull())
      .addPrimaryKeyConstraint("labels_key", ["id"])
      .execute();
    await db.schema.createIndex("labels_by_labelled_at").on("labels").columns(["labelled_at"]).execute();
  },
};
