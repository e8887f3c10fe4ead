import { inChunks } from "./chunks.ts";
import { type Database, mustAffect, unlessTaken } from "./database.ts";
import { rowCodec } from "./row.ts";
import type { ServerRecord, ServerStore, ServerToolRecord } from "./store.ts";

export function serverStore(database: Database): ServerStore {
  return {
    async list() {
      const rows = await database.query((db) =>
        db.selectFrom("servers").selectAll().orderBy("name").execute(),
      );
      return rows.map(servers.toRecord);
    },

    async byName(name) {
      const row = await database.query((db) =>
        db.selectFrom("servers").selectAll().where("name", "=", name).executeTakeFirst(),
      );
      return row && servers.toRecord(row);
    },

    async create(server) {
      const created = database.change((db) =>
        db.insertInto("servers").values(servers.toRow(server)).execute(),
      );
      await unlessTaken(`A server named "${server.name}"`, created);
    },

    async update(id, change) {
      const updated = database.change(async (db) => {
        const result = await db
          .updateTable("servers")
          .set({ ...servers.toChange(change), id })
          .where("id", "=", id)
          .executeTakeFirst();
        mustAffect(result.numUpdatedRows, `server ${id}`);
      });
      await unlessTaken(`A server named "${change.name}"`, updated);
    },

    async delete(id) {
      await database.change(async (db) => {
        // Its tools follow by their reference.
        const result = await db.deleteFrom("servers").where("id", "=", id).executeTakeFirst();
        mustAffect(result.numDeletedRows, `server ${id}`);
      });
    },

    async tools(serverId) {
      const rows = await database.query((db) =>
        db
          .selectFrom("serverTools")
          .selectAll()
          .$if(serverId !== undefined, (query) => query.where("serverId", "=", serverId!))
          .orderBy("serverId")
          .orderBy("position")
          .execute(),
      );
      return rows.map(toServerTool);
    },

    async replaceTools(serverId, tools) {
      const rows = tools.map((tool, position) => serverTools.toRow({ ...tool, serverId, position }));
      await database.change(async (db) => {
        await db.deleteFrom("serverTools").where("serverId", "=", serverId).execute();
        for (const chunk of inChunks(rows)) await db.insertInto("serverTools").values(chunk).execute();
      });
    },
  };
}

const servers = rowCodec<ServerRecord, "servers">("servers");
const serverTools = rowCodec<ServerToolRecord & { position: number }, "serverTools">("serverTools");

function toServerTool(row: Parameters<typeof serverTools.toRecord>[0]): ServerToolRecord {
  const { position: _, ...tool } = serverTools.toRecord(row);
  return tool;
}
