import { inChunks } from "./chunks.ts";
import type { Database } from "./database.ts";
import { rowCodec } from "./row.ts";
import type { ToolNameRecord, ToolNameStore } from "./store.ts";

export function toolNameStore(database: Database): ToolNameStore {
  const list: ToolNameStore["list"] = async () => {
    const rows = await database.query((db) =>
      db.selectFrom("toolNames").selectAll().orderBy("serverId").orderBy("originalName").execute(),
    );
    return rows.map(toRecord);
  };

  return {
    list,

    async add(names) {
      const fresh = notIn(await list(), names);
      if (fresh.length === 0) return;

      await database.change(async (db) => {
        for (const chunk of inChunks(fresh.map(toRow))) {
          // Another process may have been faster since the list was read.
          await db
            .insertInto("toolNames")
            .values(chunk)
            .onConflict((conflict) => conflict.doNothing())
            .execute();
        }
      });
    },
  };
}

const { toRow, toRecord } = rowCodec<ToolNameRecord, "toolNames">("toolNames");

/** Adding nothing new must not raise the revision: whoever follows it would read, add and raise it for ever. */
function notIn(stored: readonly ToolNameRecord[], names: readonly ToolNameRecord[]): ToolNameRecord[] {
  const pair = (record: ToolNameRecord) => JSON.stringify([record.serverId, record.originalName]);
  const taken = new Set(stored.flatMap((record) => [pair(record), record.name]));
  return names.filter((record) => !taken.has(pair(record)) && !taken.has(record.name));
}
