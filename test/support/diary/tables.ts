import { defineTable, type Migration } from "../../../src/contract/define-table.ts";
import { entry } from "./contract.ts";

export const entries = defineTable({ name: "diaryEntries", noun: "entry", record: entry, sealed: ["text"] });

export const firstTables: Migration = {
  name: "0001-entries",
  async up(db, types) {
    await db.schema
      .createTable("diary_entries")
      .addColumn("id", types.text, (column) => column.notNull())
      .addColumn("day", types.text, (column) => column.notNull())
      .addColumn("text", types.bytes, (column) => column.notNull())
      .addColumn("created_at", types.number, (column) => column.notNull())
      .addPrimaryKeyConstraint("diary_entries_key", ["id"])
      .execute();
  },
};
