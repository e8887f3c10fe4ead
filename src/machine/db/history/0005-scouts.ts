import type { Migration } from "./migration.ts";

export const scouts: Migration = {
  name: "0005-scouts",
  async up(db, types) {
    await db.schema
      .alterTable("agents")
      .addColumn("scout", types.flag, (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
