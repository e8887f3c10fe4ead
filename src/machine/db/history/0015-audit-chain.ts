import { sql } from "kysely";
import type { Migration } from "./migration.ts";

export const auditChain: Migration = {
  name: "0015-audit-chain",
  async up(db, types) {
    for (const column of ["chain", "mac", "labels", "approval_id", "approved_by"])
      await db.schema.alterTable("calls").addColumn(column, types.text).execute();
    await db.schema.alterTable("calls").addColumn("seq", types.number).execute();
    await db.schema
      .createIndex("calls_by_chain_seq")
      .unique()
      .on("calls")
      .columns(["chain", "seq"])
      .execute();
    await db.schema
      .createIndex("calls_by_conversation_started_at")
      .on("calls")
      .columns(["conversation", "started_at"])
      .execute();
    // Most calls are allowed and end well: an index of the others costs them nothing.
    await db.schema
      .createIndex("calls_by_outcome_started_at")
      .on("calls")
      .columns(["outcome", "started_at"])
      .where(sql.ref("outcome"), "!=", sql.lit("ok"))
      .execute();
    await db.schema
      .createIndex("calls_by_decision_started_at")
      .on("calls")
      .columns(["decision", "started_at"])
      .where(sql.ref("decision"), "!=", sql.lit("allow"))
      .execute();

    await db.schema
      .createTable("audit_chains")
      .addColumn("id", types.text, (column) => column.notNull())
      .addColumn("key_id", types.text, (column) => column.notNull())
      .addColumn("label", types.text, (column) => column.notNull())
      .addColumn("created_at", types.number, (column) => column.notNull())
      .addColumn("pruned_seq", types.number, (column) => column.notNull())
      .addColumn("pruned_mac", types.text, (column) => column.notNull())
      .addColumn("mac", types.text, (column) => column.notNull())
      .addPrimaryKeyConstraint("audit_chains_key", ["id"])
      .execute();
    await db.schema
      .createTable("audit_entries")
      .addColumn("chain", types.text, (column) => column.notNull())
      .addColumn("seq", types.number, (column) => column.notNull())
      .addColumn("mac", types.text, (column) => column.notNull())
      .addColumn("kind", types.text, (column) => column.notNull())
      .addColumn("at", types.number, (column) => column.notNull())
      .addColumn("actor", types.text)
      .addColumn("subject", types.text)
      .addColumn("details", types.text, (column) => column.notNull())
      .addPrimaryKeyConstraint("audit_entries_key", ["chain", "seq"])
      .execute();
    await db.schema
      .createIndex("audit_entries_by_at")
      .on("audit_entries")
      .columns(["at", "chain", "seq"])
      .execute();
    await db.schema
      .createIndex("audit_entries_by_kind_at")
      .on("audit_entries")
      .columns(["kind", "at"])
      .execute();
    await db.schema
      .createTable("audit_key")
      .addColumn("id", types.number, (column) => column.notNull())
      .addColumn("sealed", types.bytes, (column) => column.notNull())
      .addColumn("created_at", types.number, (column) => column.notNull())
      .addPrimaryKeyConstraint("audit_key_key", ["id"])
      .execute();
  },
};
