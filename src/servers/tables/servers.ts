import { sql } from "kysely";
import { defineTable, type RowOf } from "../../contract/define-table.ts";
import { type Database, mustAffect, unlessTaken, withTables } from "../../machine/db/database.ts";
import { writeInTurns } from "../../machine/db/query/chunks.ts";
import { Records } from "../../machine/db/query/records.ts";
import { codecOf } from "../../machine/db/query/row.ts";
import { sealedPurpose } from "../../machine/db/store-part.ts";
import {
  type ServerOfferRecord,
  type ServerRecord,
  type ServerToolRecord,
  serverOfferRow,
  serverRecord,
  serverToolRow,
} from "../records.ts";

export const servers = defineTable({
  name: "servers",
  noun: "server",
  record: serverRecord,
  sealed: ["sealed", "auth"],
  sealedAs: { sealed: "server", auth: "server-auth" },
  announces: "servers",
});
/** Rows of this and the next table go with their server. */
export const serverTools = defineTable({
  name: "serverTools",
  noun: "tool of a server",
  record: serverToolRow,
  key: ["serverId", "position"],
  announces: "server_lists",
});
export const serverOffers = defineTable({
  name: "serverOffers",
  noun: "offer of a server",
  record: serverOfferRow,
  key: ["serverId", "kind", "position"],
  announces: "server_lists",
});

interface Rows {
  serverTools: RowOf<typeof serverTools>;
  serverOffers: RowOf<typeof serverOffers>;
}
type StoredTool = Omit<Rows["serverTools"], "position">;

const toolCodec = codecOf(serverTools);
const offerCodec = codecOf(serverOffers);

/** The purpose of the sealed configuration of a server; it opens for no other. */
export const configPurpose = (id: string) => sealedPurpose(servers, "sealed", id);
/** The same for its sign-in. */
export const signInPurpose = (id: string) => sealedPurpose(servers, "auth", id);

export type ServerTable = ReturnType<typeof serverTable>;

/** Servers, and what their last lists contained. */
export function serverTable(database: Database) {
  const records = new Records(database, servers);
  const lists = withTables<Rows>(database);
  return {
    list: (): Promise<ServerRecord[]> => records.list(["name"]),

    byName: (name: string): Promise<ServerRecord | undefined> => records.find({ name }),

    async create(server: ServerRecord): Promise<void> {
      await unlessTaken(`A server named "${server.name}"`, records.insert(server));
    },

    async update(id: string, change: Partial<Omit<ServerRecord, "id" | "createdAt">>): Promise<void> {
      const updated = records.update({ id }, { ...change, id });
      mustAffect(BigInt(await unlessTaken(`A server named "${change.name}"`, updated)), `server ${id}`);
    },

    /** Replaces the sealed sign-in, unless it is no longer `before`; resolves with whether it did. */
    async changeAuth(id: string, before: Uint8Array | null, after: Uint8Array | null): Promise<boolean> {
      return (await records.update({ id, auth: before }, { auth: after })) > 0;
    },

    /** Deletes its tools and offers with it; its tool names stay taken. */
    delete: (id: string): Promise<void> => records.delete({ id }),

    /** The tools of the last list, of one server or of all, in the order the server gave. */
    async tools(serverId?: string): Promise<ServerToolRecord[]> {
      const where = serverId === undefined ? sql`` : sql`where server_id = ${serverId}`;
      const rows = await database.rows(sql<StoredTool>`
        select server_id as "serverId", original_name as "originalName", definition, fingerprint
        from server_tools ${where} order by server_id, position`);
      return rows.map(toServerTool);
    },

    async replaceTools(serverId: string, tools: readonly ServerToolRecord[]): Promise<void> {
      await lists.change("server_lists", async (db) => {
        await db.deleteFrom("serverTools").where("serverId", "=", serverId).execute();
        await writeInTurns(
          tools,
          ({ originalName, definition, fingerprint = null }, position) =>
            toolCodec.toRow({ serverId, position, originalName, definition, fingerprint }),
          (rows) => db.insertInto("serverTools").values(rows).execute(),
        );
      });
    },

    /** The offers of the last lists by kind, each kind in the order the server gave. */
    async offers(serverId?: string): Promise<ServerOfferRecord[]> {
      const rows = await lists.query((db) =>
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

    /** Replaces the offers of every kind. */
    async replaceOffers(serverId: string, offers: readonly ServerOfferRecord[]): Promise<void> {
      await lists.change("server_lists", async (db) => {
        await db.deleteFrom("serverOffers").where("serverId", "=", serverId).execute();
        await writeInTurns(
          offers,
          (offer, position) => offerCodec.toRow({ ...offer, serverId, position }),
          (rows) => db.insertInto("serverOffers").values(rows).execute(),
        );
      });
    },
  };
}

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

function toServerOffer(row: Rows["serverOffers"]): ServerOfferRecord {
  const { position: _, ...offer } = offerCodec.toRecord(row);
  return offer;
}
