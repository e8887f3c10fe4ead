import { type CompiledQuery, createQueryId, type Transaction } from "kysely";
import { createPace } from "../lib/pace.ts";
import type { Database } from "./database.ts";
import { storable } from "./dialect.ts";
import { CALL_LIST_LIMIT } from "./limits.ts";
import { rowCodec } from "./row.ts";
import { type Row, type Schema, TABLES } from "./schema.ts";
import type { CallRecord, CallStore } from "./store.ts";

/** How many rows go into one statement; few numbers, so that each statement is prepared once and kept. */
const ROWS = [64, 8, 1];

export function callStore(database: Database): CallStore {
  const insert = insertStatements();
  return {
    async put(calls) {
      if (calls.length === 0) return;
      // One statement cannot touch a row twice: of an intent and its record in one batch the later one counts.
      const latest = new Map(calls.map((call) => [call.id, call]));
      await database.transact(async (db) => {
        const pace = createPace();
        for (const chunk of inChunksOf(ROWS, [...latest.values()])) {
          await db.executeQuery(insert(db, chunk));
          await pace();
        }
      });
    },

    async list({ limit, offset = 0, agentId, tool, conversation, since, until }) {
      const rows = await database.query((db) =>
        db
          .selectFrom("calls")
          .selectAll()
          .$if(agentId !== undefined, (query) => query.where("agentId", "=", agentId!))
          .$if(tool !== undefined, (query) => query.where("tool", "=", tool!))
          .$if(conversation !== undefined, (query) => query.where("conversation", "=", conversation!))
          .$if(since !== undefined, (query) => query.where("startedAt", ">=", since!))
          .$if(until !== undefined, (query) => query.where("startedAt", "<=", until!))
          .orderBy("startedAt", "desc")
          .orderBy("id", "desc")
          .limit(Math.min(Math.max(0, Math.trunc(limit)), CALL_LIST_LIMIT))
          .offset(Math.max(0, Math.trunc(offset)))
          .execute(),
      );
      return rows.map(toRecord);
    },
  };
}

const { toRow, toRecord } = rowCodec<CallRecord, "calls">("calls");
const COLUMNS = Object.keys(TABLES.calls) as (keyof typeof TABLES.calls)[];
const REPLACED = COLUMNS.filter((column) => column !== "id");

/** Thousands of calls may end in one second, so that making a statement for each batch anew would cost more than it. */
function insertStatements() {
  const statements = new Map<number, CompiledQuery>();
  return (db: Transaction<Schema>, calls: readonly CallRecord[]): CompiledQuery => {
    const known = statements.get(calls.length);
    if (!known) {
      const made = compiled(db, calls.map(toRow));
      statements.set(calls.length, { ...made, parameters: [] });
      return made;
    }
    const parameters: unknown[] = [];
    for (const call of calls) for (const column of COLUMNS) parameters.push(storedValue(call[column]));
    return { ...known, queryId: createQueryId(), parameters };
  };
}

/** As `toRow` and the dialects make it: this table holds nothing but texts and numbers. */
function storedValue(value: string | number | null): unknown {
  return typeof value === "number" ? Math.round(value) : storable(value);
}

function compiled(db: Transaction<Schema>, rows: readonly Row<"calls">[]): CompiledQuery {
  return db
    .insertInto("calls")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column("id")
        .doUpdateSet((row) =>
          Object.fromEntries(REPLACED.map((column) => [column, row.ref(`excluded.${column}`)])),
        ),
    )
    .compile();
}

/** As few parts as the lengths, of which the last is 1, allow. */
function* inChunksOf<T>(lengths: readonly number[], items: readonly T[]): Generator<readonly T[]> {
  let start = 0;
  for (const length of lengths) {
    for (; items.length - start >= length; start += length) yield items.slice(start, start + length);
  }
}
