import { sql } from "kysely";
import { defineTable, type RowOf } from "../../contract/define-table.ts";
import { createPace } from "../../lib/flow/pace.ts";
import { type Database, withTables } from "../../machine/db/database.ts";
import { writeInTurns } from "../../machine/db/query/chunks.ts";
import { codecOf } from "../../machine/db/query/row.ts";
import { type ToolNameChange, type ToolNameRecord, toolName } from "../records.ts";

/** Names are kept for good, also after their server is gone. */
export const toolNames = defineTable({
  name: "toolNames",
  noun: "name of a tool",
  record: toolName,
  key: ["serverId", "originalName"],
  announces: "server_lists",
});

interface Rows {
  toolNames: RowOf<typeof toolNames>;
}

const { toRow } = codecOf(toolNames);

/** The server id of names that a server's tools had before: nobody but that server gets them again. */
export function formerlyOf(serverId: string): string {
  return `formerly:${serverId}`;
}

export type ToolNameTable = ReturnType<typeof toolNameTable>;

export function toolNameTable(database: Database) {
  const tables = withTables<Rows>(database);
  const list = async (serverIds?: readonly string[]) => {
    const pace = createPace();
    const where = serverIds === undefined ? sql`` : sql`where server_id in (${sql.join(serverIds)})`;
    const rows = await database.rows(sql<ToolNameRecord>`
      select server_id as "serverId", original_name as "originalName", name
      from tool_names ${where} order by server_id, original_name`);
    // SQLite reads synchronously, and there may be very many.
    await pace();
    return rows;
  };

  return {
    list: (): Promise<ToolNameRecord[]> => list(),

    /**
     * Adds names never seen before; a pair or a name already present is left as it is. Resolves with all names of the
     * servers concerned.
     */
    async add(names: readonly ToolNameRecord[]): Promise<ToolNameRecord[]> {
      if (names.length === 0) return [];
      const serverIds = [...new Set(names.map(({ serverId }) => serverId))];
      const known = await list(serverIds);
      const fresh = notIn(known, names);
      if (fresh.length === 0) return known;

      const pace = createPace();
      await tables.change("server_lists", async (db) => {
        await writeInTurns(fresh, toRow, (rows) =>
          // Another server may have the name, and another process may have added some since the list was read.
          db
            .insertInto("toolNames")
            .values(rows)
            .onConflict((conflict) => conflict.doNothing())
            .execute(),
        );
      });
      await pace();
      return await list(serverIds);
    },

    /** Gives tools of one server other names, all or none. The old names stay taken: no other tool ever gets one. */
    async rename(serverId: string, changes: readonly ToolNameChange[]): Promise<void> {
      const former = formerlyOf(serverId);
      await tables.change("server_lists", async (db) => {
        const taken = changes.map(({ to }) => to);
        for (let at = 0; at < taken.length; at += 500)
          await db
            .deleteFrom("toolNames")
            .where("serverId", "=", former)
            .where("name", "in", taken.slice(at, at + 500))
            .execute();
        for (const { originalName, to } of changes)
          await db
            .updateTable("toolNames")
            .set({ name: to })
            .where("serverId", "=", serverId)
            .where("originalName", "=", originalName)
            .execute();
        const old = changes.map(({ from }) => ({ serverId: former, originalName: from, name: from }));
        await writeInTurns(old, toRow, (rows) => db.insertInto("toolNames").values(rows).execute());
      });
    },
  };
}

/** Adding nothing new must not raise the revision: a follower would read, add and raise it again without end. */
function notIn(known: readonly ToolNameRecord[], names: readonly ToolNameRecord[]): ToolNameRecord[] {
  const pair = (record: ToolNameRecord) => JSON.stringify([record.serverId, record.originalName]);
  const taken = new Set(known.map(pair));
  return names.filter((record) => !taken.has(pair(record)));
}
