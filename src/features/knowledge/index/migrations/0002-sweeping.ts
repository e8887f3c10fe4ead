import { sql } from "kysely";
import type { Migration } from "../../../../contract/define-table.ts";

/** How many chunks are gone and of how many of them no posting is left, and how far the sweep has come that is under way. */
export const sweeping: Migration = {
  name: "0002-sweeping",
  async up(db, types) {
    for (const column of ["gone_chunks", "swept_chunks"])
      await db.schema
        .alterTable("knowledge_state")
        .addColumn(column, types.number, (added) => added.notNull().defaultTo(0))
        .execute();
    await sql`update knowledge_state set gone_chunks = next_chunk - 1 - (select count(*) from knowledge_chunks)`.execute(
      db,
    );
    await db.schema
      .createTable("knowledge_sweeps")
      .addColumn("chunk_end", types.number, (column) => column.notNull())
      .addColumn("gone", types.number, (column) => column.notNull())
      .addColumn("term", types.text, (column) => column.notNull())
      .addColumn("block", types.number, (column) => column.notNull())
      .execute();
    await db
      .updateTable("knowledge_entities")
      .set({ title: "", type: "", tags: "[]", uri: "", metadata: "{}" })
      .where("gone_at", "is not", null)
      .execute();
  },
};
