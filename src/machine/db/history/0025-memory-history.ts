import { sql } from "kysely";
import type { Migration } from "./migration.ts";

export const memoryHistory: Migration = {
  name: "0025-memory-history",
  async up(db, types) {
    const memories = db.schema.alterTable("memories");
    await memories.addColumn("key", types.text).execute();
    await memories.addColumn("type", types.text, (column) => column.notNull().defaultTo("note")).execute();
    await memories.addColumn("metadata", types.text, (column) => column.notNull().defaultTo("{}")).execute();
    await memories.addColumn("label", types.text).execute();
    await memories.addColumn("expires_at", types.number).execute();
    await memories.addColumn("written_by", types.text).execute();
    // No label counts as one here; what has no key is as many as it likes.
    await sql`create unique index memories_by_agent_id_key on memories (agent_id, key, coalesce(label, ''))`.execute(
      db,
    );
    await db.schema.createIndex("memories_by_expires_at").on("memories").columns(["expires_at"]).execute();

    await db.schema
      .createTable("memory_versions")
      .addColumn("id", types.text, (column) => column.notNull())
      // Refers to no memory on purpose: what was taken back is kept here alone.
      .addColumn("memory_id", types.text, (column) => column.notNull())
      .addColumn("agent_id", types.text, (column) => column.notNull())
      .addColumn("revision", types.number, (column) => column.notNull())
      .addColumn("key", types.text)
      .addColumn("type", types.text, (column) => column.notNull())
      .addColumn("text", types.text, (column) => column.notNull())
      .addColumn("tags", types.text, (column) => column.notNull())
      .addColumn("metadata", types.text, (column) => column.notNull())
      .addColumn("label", types.text)
      .addColumn("expires_at", types.number)
      .addColumn("written_by", types.text)
      .addColumn("updated_at", types.number, (column) => column.notNull())
      .addColumn("ended_at", types.number, (column) => column.notNull())
      .addColumn("reason", types.text, (column) => column.notNull())
      .addColumn("ended_by", types.text)
      .addPrimaryKeyConstraint("memory_versions_key", ["id"])
      .execute();
    for (const columns of [["memory_id"], ["agent_id", "ended_at"], ["ended_at"], ["expires_at"]])
      await db.schema
        .createIndex(`memory_versions_by_${columns.join("_")}`)
        .on("memory_versions")
        .columns(columns)
        .execute();
  },
};
