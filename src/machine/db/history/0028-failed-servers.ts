import type { Migration } from "./migration.ts";

/** When the last attempt to reach a server failed. */
export const failedServers: Migration = {
  name: "0028-failed-servers",
  async up(db, types) {
    await db.schema.alterTable("servers").addColumn("failed_at", types.number).execute();
  },
};
