import { goesWith, type Migration } from "./migration.ts";

export const serverOffers: Migration = {
  name: "0002-server-offers",
  async up(db, types) {
    await db.schema
      .alterTable("servers")
      .addColumn("asks_back", types.flag, (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.alterTable("servers").addColumn("auth", types.bytes).execute();
    await db.schema
      .createTable("server_offers")
      .addColumn("server_id", types.text, (column) => column.notNull())
      .addColumn("kind", types.text, (column) => column.notNull())
      .addColumn("position", types.number, (column) => column.notNull())
      .addColumn("definition", types.text, (column) => column.notNull())
      .addPrimaryKeyConstraint("server_offers_key", ["server_id", "kind", "position"])
      .addForeignKeyConstraint("server_offers_refers_servers", ["server_id"], "servers", ["id"], goesWith)
      .execute();
  },
};
