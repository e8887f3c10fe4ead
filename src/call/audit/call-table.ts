import { type CompiledQuery, createQueryId, type Transaction } from "kysely";
import { createPace } from "../../lib/flow/pace.ts";
import { type Database, withTables } from "../../machine/db/database.ts";
import { storable } from "../../machine/db/dialect.ts";
import { CALL_LIST_LIMIT } from "../../machine/db/query/limits.ts";
import { codecOf } from "../../machine/db/query/row.ts";
import { searchCalls } from "./call-search.ts";
import type { CallSample, CallStore } from "./call-store.ts";
import type { CallRecord } from "./contract.ts";
import { type AuditRows, calls as table } from "./tables.ts";

/** How many rows go into one statement; few numbers, so that each statement is prepared once and kept. */
const ROWS = [64, 8, 1];

export function callStore(given: Database): CallStore {
  const database = withTables<AuditRows>(given);
  const write = writeCalls();
  const full = async (ids: readonly string[]) =>
    ids.length === 0
      ? []
      : await database.query((db) =>
          db
            .selectFrom("calls")
            .selectAll()
            .where("id", "in", [...ids])
            .execute(),
        );
  return {
    async put(calls) {
      if (calls.length > 0) await database.transact((db) => write(db, calls));
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

    async get(id) {
      const [row] = await full([id]);
      return row && toRecord(row);
    },

    async sample({ tool, since, limit }) {
      return database.query((db) =>
        db
          .selectFrom("calls")
          .select(["agentId", "outcome", "durationMs", "startedAt"])
          .$castTo<CallSample>()
          .where("tool", "=", tool)
          .where("startedAt", ">=", since)
          .orderBy("startedAt", "desc")
          .orderBy("id", "desc")
          .limit(Math.min(Math.max(0, Math.trunc(limit)), CALL_LIST_LIMIT))
          .execute(),
      );
    },

    async search(search) {
      const { rows, next } = await searchCalls(database, search, full);
      return { calls: rows.map(toRecord), next };
    },
  };
}

/** Inserts calls, or replaces those of the same id, as part of a transaction. */
export function writeCalls(): (db: Transaction<AuditRows>, calls: readonly CallRecord[]) => Promise<void> {
  const kinds = [insertStatements(USUAL_COLUMNS), insertStatements(COLUMNS)] as const;
  return async (db, calls) => {
    // One statement cannot touch a row twice: of an intent and its record in one batch the later one counts.
    const latest = new Map(calls.map((call) => [call.id, call]));
    const usual: CallRecord[] = [];
    const others: CallRecord[] = [];
    for (const call of latest.values()) (isUsual(call) ? usual : others).push(call);
    const pace = createPace();
    for (const [insert, rows] of [[kinds[0], usual] as const, [kinds[1], others] as const]) {
      for (const chunk of inChunksOf(ROWS, rows)) {
        await db.executeQuery(insert(db, chunk));
        await pace();
      }
    }
  };
}

const { toRecord } = codecOf(table);
type CallColumn = keyof CallRecord;
const COLUMNS = Object.keys(table.columns) as CallColumn[];
const REPLACED = COLUMNS.filter((column) => column !== "id");
/** Null in nearly every record. Half of what it takes to write a row is handing over its values, these too. */
const RARE: readonly CallColumn[] = ["error", "person", "approvalId", "approvedBy"];
const USUAL_COLUMNS = COLUMNS.filter((column) => !RARE.includes(column));

function isUsual(call: CallRecord): boolean {
  return call.error === null && call.person === null && call.approvalId === null && call.approvedBy === null;
}

/** Thousands of calls may end in one second, so that making a statement for each batch anew would cost more than it. */
function insertStatements(columns: readonly CallColumn[]) {
  const statements = new Map<number, CompiledQuery>();
  return (db: Transaction<AuditRows>, calls: readonly CallRecord[]): CompiledQuery => {
    let known = statements.get(calls.length);
    if (!known) {
      known = compiled(db, columns, calls.length);
      statements.set(calls.length, known);
    }
    const parameters: unknown[] = [];
    for (const call of calls) for (const column of columns) parameters.push(storedValue(call[column]));
    return { ...known, queryId: createQueryId(), parameters };
  };
}

/** As `toRow` and the dialects make it: this table holds nothing but texts and numbers. */
function storedValue(value: string | number | null): unknown {
  return typeof value === "number" ? Math.round(value) : storable(value);
}

/** Columns that are left out become null, also in a row that is replaced. */
function compiled(db: Transaction<AuditRows>, columns: readonly CallColumn[], rows: number): CompiledQuery {
  const row = Object.fromEntries(columns.map((column) => [column, ""])) as unknown as AuditRows["calls"];
  const query = db
    .insertInto("calls")
    .values(Array.from({ length: rows }, () => row))
    .onConflict((conflict) =>
      conflict
        .column("id")
        .doUpdateSet((of) =>
          Object.fromEntries(REPLACED.map((column) => [column, of.ref(`excluded.${column}`)])),
        ),
    )
    .compile();
  return { ...query, parameters: [] };
}

/** As few parts as the lengths, of which the last is 1, allow. */
function* inChunksOf<T>(lengths: readonly number[], items: readonly T[]): Generator<readonly T[]> {
  let start = 0;
  for (const length of lengths) {
    for (; items.length - start >= length; start += length) yield items.slice(start, start + length);
  }
}
