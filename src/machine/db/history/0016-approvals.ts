import type { Migration } from "./migration.ts";

export const approvals: Migration = {
  name: "0016-approvals",
  async up(db, types) {
    await db.schema.alterTable("questions").addColumn("settlement", types.text).execute();
    await db.schema.alterTable("questions").addColumn("batch_id", types.text).execute();
    await db.schema.createIndex("questions_by_batch_id").on("questions").columns(["batch_id"]).execute();
    await db.schema
      .alterTable("tokens")
      .addColumn("interactive", types.flag, (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .alterTable("agents")
      .addColumn("headless", types.flag, (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
