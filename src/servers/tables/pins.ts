import { sql } from "kysely";
import { defineTable, type RowOf } from "../../contract/define-table.ts";
import { type Database, withTables } from "../../machine/db/database.ts";
import { inChunks, writeInTurns } from "../../machine/db/query/chunks.ts";
import { Records } from "../../machine/db/query/records.ts";
import { codecOf } from "../../machine/db/query/row.ts";
import {
  type AcceptedPin,
  PIN_KINDS,
  type PinRecord,
  pin,
  type ToolCapabilitiesRecord,
  toolCapabilities as toolCapabilitiesShape,
} from "../records.ts";

/** Rows of both tables go with their server. */
export const pins = defineTable({
  name: "pins",
  noun: "pin",
  record: pin,
  key: ["serverId", "kind", "key"],
  announces: "server_lists",
});
export const toolCapabilities = defineTable({
  name: "toolCapabilities",
  noun: "correction of a tool's capabilities",
  record: toolCapabilitiesShape,
  key: ["serverId", "originalName"],
  announces: "server_lists",
});

interface Rows {
  pins: RowOf<typeof pins>;
}

export type PinTable = ReturnType<typeof pinTable>;

export function pinTable(database: Database) {
  const tables = withTables<Rows>(database);
  const { toRow } = codecOf(pins);
  return {
    /** The pins that hold something back, and those of whole lists. */
    async open(): Promise<PinRecord[]> {
      const rows = await tables.query((db) =>
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

    /** The fingerprint of every accepted definition, of all servers. */
    accepted: (): Promise<AcceptedPin[]> =>
      database.rows(sql<AcceptedPin>`
        select server_id as "serverId", kind, key, accepted from pins where accepted is not null`),

    /** All pins of one server, by kind and key. */
    async of(serverId: string): Promise<PinRecord[]> {
      const rows = await tables.query((db) =>
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

    /** Puts some pins, replacing existing ones, and deletes others, at once. */
    async change(
      serverId: string,
      put: readonly PinRecord[],
      gone: readonly Pick<PinRecord, "kind" | "key">[],
    ): Promise<void> {
      await tables.change("server_lists", async (db) => {
        for (const kind of PIN_KINDS) {
          const keys = gone.filter((each) => each.kind === kind).map(({ key }) => key);
          for (const some of inChunks(keys)) {
            await db
              .deleteFrom("pins")
              .where("serverId", "=", serverId)
              .where("kind", "=", kind)
              .where("key", "in", some)
              .execute();
          }
        }
        await writeInTurns(put, toRow, (rows) =>
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

    async deleteAll(serverId: string): Promise<void> {
      await tables.change("server_lists", (db) =>
        db.deleteFrom("pins").where("serverId", "=", serverId).execute(),
      );
    },
  };
}

export type ToolCapabilitiesTable = ReturnType<typeof toolCapabilitiesTable>;

export function toolCapabilitiesTable(database: Database) {
  const records = new Records(database, toolCapabilities);
  return {
    list: (): Promise<ToolCapabilitiesRecord[]> => records.list(["serverId", "originalName"]),

    /** Replaces the record of the same tool. */
    put: (record: ToolCapabilitiesRecord): Promise<void> => records.put(record),

    /** Does nothing if there is no such record. */
    async delete(serverId: string, originalName: string): Promise<void> {
      await records.deleteAny({ serverId, originalName });
    },
  };
}

type StoredDefinition = PinRecord["heldAs"];

/** A server may have thousands of pins, of which few are looked into: a definition is parsed when it is first read. */
function toPin(row: Rows["pins"]): PinRecord {
  const { acceptedAs, heldAs, ...rest } = row;
  let accepted: string | StoredDefinition = acceptedAs;
  let held: string | StoredDefinition = heldAs;
  return {
    ...rest,
    get acceptedAs() {
      if (typeof accepted === "string") accepted = JSON.parse(accepted) as StoredDefinition;
      return accepted as StoredDefinition;
    },
    get heldAs() {
      if (typeof held === "string") held = JSON.parse(held) as StoredDefinition;
      return held as StoredDefinition;
    },
  };
}
