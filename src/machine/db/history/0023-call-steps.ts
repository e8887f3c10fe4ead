import type { Migration } from "./migration.ts";

/** When the steps of a call were over. */
export const callSteps: Migration = {
  name: "0023-call-steps",
  async up(db, types) {
    await db.schema.alterTable("calls").addColumn("steps", types.text).execute();
  },
};
