import { sql } from "kysely";
import { type Database, mustAffect, unlessTaken } from "../../database.ts";
import { writeInTurns } from "../../query/chunks.ts";
import { rowCodec } from "../../query/row.ts";
import type { Row } from "../../schema.ts";
import type { ServerOfferRecord, ServerRecord, ServerStore, ServerToolRecord } from "../../store.ts";

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
      const created = database.change("servers", (db) =>
        db.insertInto("servers").values(servers.toRow(server)).execute(),
      );
      await unlessTaken(`A server named "${server.name}"`, created);
    },

    async update(id, change) {
      const updated = database.change("servers", async (db) => {
        const result = await db
          .updateTable("servers")
          .set({ ...servers.toChange(change), id })
          .where("id", "=", id)
          .executeTakeFirst();
        mustAffect(result.numUpdatedRows, `server ${id}`);
      });
      await unlessTaken(`A server named "${change.name}"`, updated);
    },

    async changeAuth(id, before, after) {
      return await database.change("servers", async (db) => {
        const result = await db
          .updateTable("servers")
          .set(servers.toChange({ auth: after }))
          .where("id", "=", id)
          .where("auth", before === null ? "is" : "=", before)
          .executeTakeFirst();
        return result.numUpdatedRows > 0n;
      });
    },

    async delete(id) {
      await database.change("servers", async (db) => {
        // Its tools and offers follow by their reference.
        const result = await db.deleteFrom("servers").where("id", "=", id).executeTakeFirst();
        mustAffect(result.numDeletedRows, `server ${id}`);
      });
    },

    async tools(serverId) {
      const where = serverId === undefined ? sql`` : sql`where server_id = ${serverId}`;
      const rows = await database.rows(sql<StoredTool>`
        select server_id as "serverId", original_name as "originalName", definition, fingerprint
        from server_tools ${where} order by server_id, position`);
      return rows.map(toServerTool);
    },

    async replaceTools(serverId, tools) {
      await database.change("server_lists", async (db) => {
        await db.deleteFrom("serverTools").where("serverId", "=", serverId).execute();
        await writeInTurns(
          tools,
          ({ originalName, definition, fingerprint = null }, position) =>
            serverTools.toRow({ serverId, position, originalName, definition, fingerprint }),
          (rows) => db.insertInto("serverTools").values(rows).execute(),
        );
      });
    },

    async offers(serverId) {
      const rows = await database.query((db) =>
        db
          .selectFrom("serverOffers")
          .selectAll()
          .$if(serverId !== undefined, (query) => query.where("serverId", "=", serverId!))
          .orderBy("serverId")
          .orderBy("kind")
          .orderBy("position")
          .execute(),
      );
      return rows.map(toServerOffer);
    },

    async replaceOffers(serverId, offers) {
      await database.change("server_lists", async (db) => {
        await db.deleteFrom("serverOffers").where("serverId", "=", serverId).execute();
        await writeInTurns(
          offers,
          (offer, position) => serverOffers.toRow({ ...offer, serverId, position }),
          (rows) => db.insertInto("serverOffers").values(rows).execute(),
        );
      });
    },
  };
}

const servers = rowCodec<ServerRecord, "servers">("servers");
type StoredTool = Omit<Row<"serverTools">, "position">;
const serverTools = rowCodec<
  Omit<ServerToolRecord, "fingerprint"> & { position: number; fingerprint: string | null },
  "serverTools"
>("serverTools");
const serverOffers = rowCodec<ServerOfferRecord & { position: number }, "serverOffers">("serverOffers");

/** Every start reads thousands of definitions and needs few of them, so each is parsed when it is first looked at. */
function toServerTool(row: StoredTool): ServerToolRecord {
  const { serverId, originalName } = row;
  let definition: string | ServerToolRecord["definition"] = row.definition;
  return {
    serverId,
    originalName,
    ...(row.fingerprint !== null && { fingerprint: row.fingerprint }),
    get definition() {
      if (typeof definition === "string")
        definition = JSON.parse(definition) as ServerToolRecord["definition"];
      return definition;
    },
  };
}

function toServerOffer(row: Parameters<typeof serverOffers.toRecord>[0]): ServerOfferRecord {
  const { position: _, ...offer } = serverOffers.toRecord(row);
  return offer;
}
