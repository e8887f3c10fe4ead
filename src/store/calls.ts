import { inChunks } from "./chunks.ts";
import type { Database } from "./database.ts";
import { CALL_LIST_LIMIT } from "./limits.ts";
import { rowCodec } from "./row.ts";
import { TABLES } from "./schema.ts";
import type { CallRecord, CallStore } from "./store.ts";

export function callStore(database: Database): CallStore {
  return {
    async put(calls) {
      if (calls.length === 0) return;
      // One statement cannot touch a row twice: of an intent and its record in one batch the later one counts.
      const latest = new Map(calls.map((call) => [call.id, toRow(call)]));
      await database.transact(async (db) => {
        for (const chunk of inChunks([...latest.values()])) {
          await db
            .insertInto("calls")
            .values(chunk)
            .onConflict((conflict) =>
              conflict
                .column("id")
                .doUpdateSet((row) =>
                  Object.fromEntries(REPLACED.map((column) => [column, row.ref(`excluded.${column}`)])),
                ),
            )
            .execute();
        }
      });
    },

    async list({ limit, agentId, tool }) {
      const rows = await database.query((db) =>
        db
          .selectFrom("calls")
          .selectAll()
          .$if(agentId !== undefined, (query) => query.where("agentId", "=", agentId!))
          .$if(tool !== undefined, (query) => query.where("tool", "=", tool!))
          .orderBy("startedAt", "desc")
          .orderBy("id", "desc")
          .limit(Math.min(Math.max(0, Math.trunc(limit)), CALL_LIST_LIMIT))
          .execute(),
      );
      return rows.map(toRecord);
    },
  };
}

const { toRow, toRecord } = rowCodec<CallRecord, "calls">("calls");
const REPLACED = (Object.keys(TABLES.calls) as (keyof typeof TABLES.calls)[]).filter(
  (column) => column !== "id",
);
