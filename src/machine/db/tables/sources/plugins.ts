import { type Database, mustAffect, unlessTaken } from "../../database.ts";
import { rowCodec } from "../../query/row.ts";
import type { PluginRecord, PluginStore } from "./plugin-record.ts";

export function pluginStore(database: Database): PluginStore {
  return {
    async list() {
      const rows = await database.query((db) =>
        db.selectFrom("plugins").selectAll().orderBy("name").execute(),
      );
      return rows.map(toRecord);
    },

    async create(plugin) {
      const created = database.change("plugins", (db) =>
        db.insertInto("plugins").values(toRow(plugin)).execute(),
      );
      await unlessTaken(`A plugin named "${plugin.name}"`, created);
    },

    async update(name, change) {
      await database.change("plugins", async (db) => {
        const result = await db
          .updateTable("plugins")
          .set({ ...toChange(change), name })
          .where("name", "=", name)
          .executeTakeFirst();
        mustAffect(result.numUpdatedRows, `plugin named "${name}"`);
      });
    },

    async delete(name) {
      await database.change("plugins", async (db) => {
        const result = await db.deleteFrom("plugins").where("name", "=", name).executeTakeFirst();
        mustAffect(result.numDeletedRows, `plugin named "${name}"`);
      });
    },
  };
}

const { toRow, toChange, toRecord } = rowCodec<PluginRecord, "plugins">("plugins");
