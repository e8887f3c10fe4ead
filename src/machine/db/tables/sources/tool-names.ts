import { sql } from "kysely";
import { createPace } from "../../../../lib/flow/pace.ts";
import type { Database } from "../../database.ts";
import { writeInTurns } from "../../query/chunks.ts";
import { rowCodec } from "../../query/row.ts";
import type { ToolNameRecord, ToolNameStore } from "../../store.ts";

/** Under this id the table keeps names that a server's tools had before: taken, and nobody's but that server's. */
export function formerlyOf(serverId: string): string {
  return `formerly:${serverId}`;
}

export function toolNameStore(database: Database): ToolNameStore {
  const list = async (serverIds?: readonly string[]) => {
    const pace = createPace();
    const where = serverIds === undefined ? sql`` : sql`where server_id in (${sql.join(serverIds)})`;
    const rows = await database.rows(sql<ToolNameRecord>`
      select server_id as "serverId", original_name as "originalName", name
      from tool_names ${where} order by server_id, original_name`);
    // There may be very many; SQLite reads them without letting anybody else have a turn.
    await pace();
    return rows;
  };

  return {
    list: () => list(),

    async add(names) {
      if (names.length === 0) return [];
      const serverIds = [...new Set(names.map(({ serverId }) => serverId))];
      const known = await list(serverIds);
      const fresh = notIn(known, names);
      if (fresh.length === 0) return known;

      const pace = createPace();
      await database.change("server_lists", async (db) => {
        await writeInTurns(fresh, toRow, (rows) =>
          // A server of another name may have it, and another process may have been faster since the list was read.
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

    async rename(serverId, changes) {
      const former = formerlyOf(serverId);
      await database.change("server_lists", async (db) => {
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

const { toRow } = rowCodec<ToolNameRecord, "toolNames">("toolNames");

/** Adding nothing new must not raise the revision: whoever follows it would read, add and raise it for ever. */
function notIn(known: readonly ToolNameRecord[], names: readonly ToolNameRecord[]): ToolNameRecord[] {
  const pair = (record: ToolNameRecord) => JSON.stringify([record.serverId, record.originalName]);
  const taken = new Set(known.map(pair));
  return names.filter((record) => !taken.has(pair(record)));
}
