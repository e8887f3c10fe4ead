import { goesWith, type Migration } from "./migration.ts";

export const people: Migration = {
  name: "0014-people",
  async up(db, types) {
    await db.schema
      .createTable("people")
      .addColumn("id", types.text, (column) => column.notNull())
      .addColumn("name", types.text, (column) => column.notNull())
      .addColumn("role", types.text, (column) => column.notNull())
      .addColumn("created_at", types.number, (column) => column.notNull())
      .addColumn("last_seen_at", types.number)
      .addColumn("disabled", types.flag, (column) => column.notNull())
      .addPrimaryKeyConstraint("people_key", ["id"])
      .addUniqueConstraint("people_unique_name", ["name"])
      .execute();
    await db.schema
      .createTable("sessions")
      .addColumn("id", types.text, (column) => column.notNull())
      .addColumn("person_id", types.text, (column) => column.notNull())
      .addColumn("hash", types.text, (column) => column.notNull())
      .addColumn("label", types.text, (column) => column.notNull())
      .addColumn("created_at", types.number, (column) => column.notNull())
      .addColumn("expires_at", types.number, (column) => column.notNull())
      .addColumn("last_used_at", types.number, (column) => column.notNull())
      .addPrimaryKeyConstraint("sessions_key", ["id"])
      .addUniqueConstraint("sessions_unique_hash", ["hash"])
      .addForeignKeyConstraint("sessions_refers_people", ["person_id"], "people", ["id"], goesWith)
      .execute();
    await db.schema
      .createTable("login_codes")
      .addColumn("hash", types.text, (column) => column.notNull())
      .addColumn("person_id", types.text, (column) => column.notNull())
      .addColumn("created_at", types.number, (column) => column.notNull())
      .addColumn("expires_at", types.number, (column) => column.notNull())
      .addPrimaryKeyConstraint("login_codes_key", ["hash"])
      .addForeignKeyConstraint("login_codes_refers_people", ["person_id"], "people", ["id"], (reference) =>
        reference.onDelete("cascade").deferrable().initiallyDeferred(),
      )
      .execute();
    for (const table of ["sessions", "login_codes"])
      await db.schema.createIndex(`${table}_by_person_id`).on(table).column("person_id").execute();
    await db.schema.alterTable("tokens").addColumn("role", types.text).execute();
    // Whoever had an admin token could do everything.
    await db.updateTable("tokens").set({ role: "admin" }).where("kind", "=", "admin").execute();
    await db.schema.alterTable("calls").addColumn("person", types.text).execute();
  },
};
