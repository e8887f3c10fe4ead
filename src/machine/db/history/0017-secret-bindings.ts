import type { Migration } from "./migration.ts";

export const secretBindings: Migration = {
  name: "0017-secret-bindings",
  async up(db, types) {
    await db.schema
      .alterTable("secrets")
      .addColumn("source", types.text, (column) => column.notNull().defaultTo("value"))
      .execute();
    await db.schema.alterTable("secrets").addColumn("bindings", types.text).execute();
    await db.schema.alterTable("secrets").addColumn("earlier", types.bytes).execute();
  },
};
