import { sql } from "kysely";
import type { Database } from "../../database.ts";
import { inChunks, writeInTurns } from "../../query/chunks.ts";
import { rowCodec } from "../../query/row.ts";
import type { Row } from "../../schema.ts";
import {
  type AcceptedPin,
  PIN_KINDS,
  type PinRecord,
  type PinStore,
  type ToolCapabilitiesRecord,
  type ToolCapabilitiesStore,
} from "./pin-record.ts";

export function pinStore(database: Database): PinStore {
  return {
    async open() {
      const rows = await database.query((db) =>
        db
          .selectFrom("pins")
          .selectAll()
          .where((where) => where.or([where("held", "is not", null), where("key", "=", "")]))
          .orderBy("serverId")
          .orderBy("kind")
          .orderBy("key")
          .execute(),
      );
      return rows.map(toPin);
    },

    async accepted() {
      return await database.rows(sql<AcceptedPin>`
        select server_id as "serverId", kind, key, accepted from pins where accepted is not null`);
    },

    async of(serverId) {
      const rows = await database.query((db) =>
        db
          .selectFrom("pins")
          .selectAll()
          .where("serverId", "=", serverId)
          .orderBy("kind")
          .orderBy("key")
          .execute(),
      );
      return rows.map(toPin);
    },

    async change(serverId, put, gone) {
      await database.change("server_lists", async (db) => {
        for (const kind of PIN_KINDS) {
          const keys = gone.filter((pin) => pin.kind === kind).map(({ key }) => key);
          for (const some of inChunks(keys)) {
            await db
              .deleteFrom("pins")
              .where("serverId", "=", serverId)
              .where("kind", "=", kind)
              .where("key", "in", some)
              .execute();
          }
        }
        await writeInTurns(put, pins.toRow, (rows) =>
          db
            .insertInto("pins")
            .values(rows)
            .onConflict((conflict) =>
              conflict.columns(["serverId", "kind", "key"]).doUpdateSet((set) => ({
                accepted: set.ref("excluded.accepted"),
                acceptedAs: set.ref("excluded.acceptedAs"),
                held: set.ref("excluded.held"),
                heldAs: set.ref("excluded.heldAs"),
                rejected: set.ref("excluded.rejected"),
                changedAt: set.ref("excluded.changedAt"),
              })),
            )
            .execute(),
        );
      });
    },

    async deleteAll(serverId) {
      await database.change("server_lists", (db) =>
        db.deleteFrom("pins").where("serverId", "=", serverId).execute(),
      );
    },
  };
}

export function toolCapabilitiesStore(database: Database): ToolCapabilitiesStore {
  return {
    async list() {
      const rows = await database.query((db) =>
        db.selectFrom("toolCapabilities").selectAll().orderBy("serverId").orderBy("originalName").execute(),
      );
      return rows.map(capabilities.toRecord);
    },

    async put(record) {
      const { serverId: _, originalName: __, ...change } = record;
      await database.change("server_lists", (db) =>
        db
          .insertInto("toolCapabilities")
          .values(capabilities.toRow(record))
          .onConflict((conflict) =>
            conflict.columns(["serverId", "originalName"]).doUpdateSet(capabilities.toChange(change)),
          )
          .execute(),
      );
    },

    async delete(serverId, originalName) {
      await database.change("server_lists", (db) =>
        db
          .deleteFrom("toolCapabilities")
          .where("serverId", "=", serverId)
          .where("originalName", "=", originalName)
          .execute(),
      );
    },
  };
}

const pins = rowCodec<PinRecord, "pins">("pins");
const capabilities = rowCodec<ToolCapabilitiesRecord, "toolCapabilities">("toolCapabilities");

type Said = PinRecord["heldAs"];

/** A server may have thousands, of which few are looked into: what they say is parsed when somebody does. */
function toPin(row: Row<"pins">): PinRecord {
  const { acceptedAs, heldAs, ...rest } = row;
  let was: string | Said = acceptedAs;
  let is: string | Said = heldAs;
  return {
    ...(rest as Omit<PinRecord, "acceptedAs" | "heldAs">),
    get acceptedAs() {
      if (typeof was === "string") was = JSON.parse(was) as Said;
      return was as Said;
    },
    get heldAs() {
      if (typeof is === "string") is = JSON.parse(is) as Said;
      return is as Said;
    },
  };
}
