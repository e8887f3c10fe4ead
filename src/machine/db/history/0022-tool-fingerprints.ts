import type { Migration } from "./migration.ts";

/** What a definition says in short, so that no start has to read all of them. */
export const toolFingerprints: Migration = {
  name: "0022-tool-fingerprints",
  async up(db, types) {
    await db.schema.alterTable("server_tools").addColumn("fingerprint", types.text).execute();
  },
};
