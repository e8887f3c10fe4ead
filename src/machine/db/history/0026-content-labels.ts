import type { Migration } from "./migration.ts";

/** Labels travel with what a labelled conversation leaves behind. */
export const contentLabels: Migration = {
  name: "0026-content-labels",
  async up(db, types) {
    await db.schema
      .alterTable("outputs")
      .addColumn("labels", types.text, (column) => column.notNull().defaultTo("[]"))
      .execute();
    await db.schema
      .createTable("content_labels")
      // Of a memory, a ticket, a report: all of them are told apart by how their ids begin.
      .addColumn("id", types.text, (column) => column.notNull())
      .addColumn("labels", types.text, (column) => column.notNull())
      .addColumn("labelled_at", types.number, (column) => column.notNull())
      .addPrimaryKeyConstraint("content_labels_key", ["id"])
      .execute();
    await db.schema
      .createIndex("content_labels_by_labelled_at")
      .on("content_labels")
      .columns(["labelled_at"])
      .execute();
  },
};
