import type { CreateTableBuilder, ForeignKeyConstraintBuilder } from "kysely";
import type { ColumnTypes, Migration } from "./migration.ts";

export const projects: Migration = {
  name: "0006-projects",
  async up(db, types) {
    await withTimes(db.schema.createTable("projects"), types)
      .addColumn("key", types.text, notNull)
      .addColumn("name", types.text, notNull)
      .addColumn("description", types.text, notNull)
      .addColumn("status", types.text, notNull)
      .addColumn("last_number", types.number, notNull)
      .addPrimaryKeyConstraint("projects_key", ["id"])
      .addUniqueConstraint("projects_unique_key", ["key"])
      .execute();

    await withTimes(db.schema.createTable("tickets"), types)
      .addColumn("project_id", types.text, notNull)
      .addColumn("number", types.number, notNull)
      .addColumn("title", types.text, notNull)
      .addColumn("description", types.text, notNull)
      .addColumn("status", types.text, notNull)
      .addColumn("priority", types.text, notNull)
      .addColumn("assignee_id", types.text)
      .addColumn("labels", types.text, notNull)
      .addPrimaryKeyConstraint("tickets_key", ["id"])
      .addUniqueConstraint("tickets_unique_number", ["project_id", "number"])
      .addForeignKeyConstraint("tickets_refers_projects", ["project_id"], "projects", ["id"], cascade)
      .addForeignKeyConstraint("tickets_refers_agents", ["assignee_id"], "agents", ["id"], (reference) =>
        reference.onDelete("set null").deferrable().initiallyDeferred(),
      )
      .execute();

    await db.schema
      .createTable("ticket_comments")
      .addColumn("id", types.text, notNull)
      .addColumn("ticket_id", types.text, notNull)
      .addColumn("created_by", types.text)
      .addColumn("text", types.text, notNull)
      .addColumn("created_at", types.number, notNull)
      .addPrimaryKeyConstraint("ticket_comments_key", ["id"])
      .addForeignKeyConstraint("ticket_comments_refers_tickets", ["ticket_id"], "tickets", ["id"], cascade)
      .execute();

    await withTimes(db.schema.createTable("project_notes"), types)
      .addColumn("project_id", types.text, notNull)
      .addColumn("title", types.text, notNull)
      .addColumn("body", types.text, notNull)
      .addColumn("tags", types.text, notNull)
      .addPrimaryKeyConstraint("project_notes_key", ["id"])
      .addForeignKeyConstraint("project_notes_refers_projects", ["project_id"], "projects", ["id"], cascade)
      .execute();

    for (const [table, columns] of INDEXES)
      await db.schema
        .createIndex(`${table}_by_${columns.join("_")}`)
        .on(table)
        .columns(columns)
        .execute();

    await db.schema
      .alterTable("tasks")
      .addColumn("instructions", types.text, (column) => column.notNull().defaultTo(""))
      .execute();
    await db.schema.alterTable("tasks").addColumn("assigned_by", types.text).execute();
  },
};

const INDEXES: [table: string, columns: string[]][] = [
  ["tickets", ["created_at"]],
  // Counted whenever projects are listed, without reading what the tickets say.
  ["tickets", ["project_id", "status"]],
  ["tickets", ["assignee_id"]],
  ["ticket_comments", ["ticket_id", "created_at"]],
  ["project_notes", ["project_id", "created_at"]],
];

type Table = CreateTableBuilder<string, string>;

const notNull = <C extends { notNull(): C }>(column: C): C => column.notNull();

// Checked when the transaction ends, so that a restore may insert rows in any order.
const cascade = (reference: ForeignKeyConstraintBuilder) =>
  reference.onDelete("cascade").deferrable().initiallyDeferred();

/** What the tables have in common. `revision` grows with every change, so that two people cannot undo each other. */
function withTimes(table: Table, types: ColumnTypes): Table {
  return table
    .addColumn("id", types.text, notNull)
    .addColumn("created_by", types.text)
    .addColumn("revision", types.number, notNull)
    .addColumn("created_at", types.number, notNull)
    .addColumn("updated_at", types.number, notNull);
}
