import { goesWith, type Migration } from "./migration.ts";

export const consents: Migration = {
  name: "0003-consents",
  async up(db, types) {
    await db.schema
      .createTable("consents")
      .addColumn("id", types.text, (column) => column.notNull())
      .addColumn("agent_id", types.text, (column) => column.notNull())
      .addColumn("client_id", types.text, (column) => column.notNull())
      .addColumn("client_name", types.text, (column) => column.notNull())
      .addColumn("scopes", types.text, (column) => column.notNull())
      .addColumn("resource", types.text, (column) => column.notNull())
      .addColumn("created_at", types.number, (column) => column.notNull())
      .addColumn("expires_at", types.number, (column) => column.notNull())
      .addPrimaryKeyConstraint("consents_key", ["id"])
      .addForeignKeyConstraint("consents_refers_agents", ["agent_id"], "agents", ["id"], goesWith)
      .execute();
    await db.schema
      .createTable("consent_keys")
      .addColumn("hash", types.text, (column) => column.notNull())
      .addColumn("consent_id", types.text, (column) => column.notNull())
      .addColumn("kind", types.text, (column) => column.notNull())
      .addColumn("salt", types.text, (column) => column.notNull())
      .addColumn("challenge", types.text)
      .addColumn("redirect_uri", types.text)
      .addColumn("created_at", types.number, (column) => column.notNull())
      .addColumn("expires_at", types.number, (column) => column.notNull())
      .addColumn("used_at", types.number)
      .addPrimaryKeyConstraint("consent_keys_key", ["hash"])
      .addForeignKeyConstraint("consent_keys_refers_consents", ["consent_id"], "consents", ["id"], goesWith)
      .execute();
    await db.schema
      .alterTable("tokens")
      .addColumn("consent_id", types.text, (column) => column.references("consents.id").onDelete("cascade"))
      .execute();
    await db.schema.alterTable("tokens").addColumn("resource", types.text).execute();
    await db.schema.alterTable("tokens").addColumn("requests_per_minute", types.number).execute();
    for (const table of ["consent_keys", "tokens"])
      await db.schema.createIndex(`${table}_by_consent_id`).on(table).column("consent_id").execute();
  },
};
