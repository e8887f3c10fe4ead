import type { Transaction } from "kysely";
import { messageOf, ToolkeepError } from "../../contract/errors.ts";
import { isJson } from "../../lib/exact-json.ts";
import { isRecord } from "../../lib/json.ts";
import type { Database } from "./database.ts";
import { SCHEMA_VERSION } from "./history/index.ts";
import { KEYS, NOT_DUMPED } from "./keys.ts";
import { type Column, type Schema, TABLES, type TableName } from "./schema.ts";
import type { StoreDump } from "./store.ts";
import { inChunks } from "./tables/knowledge/chunks.ts";

type Rows = StoreDump["tables"][string];
type Values = Record<string, unknown>;

const NAMES = Object.keys(TABLES) as TableName[];
const DUMPED = NAMES.filter((name) => !NOT_DUMPED.includes(name));

/** Everything, ordered by key: equal stores give equal dumps, whatever database they lie in. */
export async function dumpTables(database: Database): Promise<StoreDump> {
  return database.snapshot(async (db) => {
    const tables: Record<string, Rows> = {};
    for (const name of DUMPED) tables[name] = await dumpTable(db, name);
    return { schemaVersion: SCHEMA_VERSION, tables };
  });
}

/**
 * Replaces everything, or nothing when it throws: STORE_NEWER for a dump of a later version, BACKUP_INVALID for one
 * that does not fit the tables. A column that an older version did not have is null, or the default it was given.
 */
export async function loadTables(database: Database, dump: StoreDump): Promise<void> {
  checkVersion(dump.schemaVersion);
  const rows = readTables(dump.tables);
  try {
    await database.change("everything", async (db) => {
      for (const name of NAMES.toReversed()) await db.deleteFrom(name).execute();
      for (const name of NAMES) await insertRows(db, name, rows[name] ?? []);
    });
  } catch (error) {
    if (error instanceof ToolkeepError && error.code === "STORE_UNAVAILABLE") throw error;
    throw invalid(`its rows do not fit together: ${messageOf(error)}`);
  }
}

async function dumpTable(db: Transaction<Schema>, name: TableName): Promise<Rows> {
  const columns = Object.keys(TABLES[name]);
  const query = KEYS[name].reduce(
    (sorted, key) => sorted.orderBy(key as never),
    db.selectFrom(name).selectAll(),
  );
  const rows = (await query.execute()) as Values[];
  return rows.map((row) => Object.fromEntries(columns.map((column) => [column, toJson(row[column])])));
}

async function insertRows(db: Transaction<Schema>, name: TableName, rows: readonly Values[]): Promise<void> {
  for (const chunk of inChunks(rows))
    await db
      .insertInto(name)
      .values(chunk as never)
      .execute();
}

function checkVersion(version: unknown): void {
  if (!Number.isInteger(version) || (version as number) < 1) {
    throw invalid(`its schemaVersion should be a positive whole number, not ${JSON.stringify(version)}`);
  }
  if ((version as number) > SCHEMA_VERSION) {
    throw new ToolkeepError(
      "STORE_NEWER",
      `The backup has schema version ${version}; this toolkeep knows versions up to ${SCHEMA_VERSION}.`,
    );
  }
}

function readTables(tables: unknown): Partial<Record<TableName, Values[]>> {
  if (!isRecord(tables)) throw invalid("it has no tables");
  return Object.fromEntries(
    Object.entries(tables).map(([name, rows]) => {
      if (!Object.hasOwn(TABLES, name)) throw invalid(`there is no table "${name}"`);
      if (!Array.isArray(rows)) throw invalid(`table "${name}" should be a list of rows`);
      return [name, rows.map((row) => readRow(name as TableName, row))];
    }),
  );
}

function readRow(name: TableName, row: unknown): Values {
  if (!isRecord(row)) throw invalid(`a row of "${name}" is no object`);
  const columns: Record<string, Column> = TABLES[name];
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      const type = Object.hasOwn(columns, column) ? columns[column] : undefined;
      if (type === undefined) throw invalid(`table "${name}" has no column "${column}"`);
      const read = fromJson(value, type);
      if (read === undefined) throw invalid(`"${column}" of "${name}" should hold ${type}`);
      return [column, read];
    }),
  );
}

function toJson(value: unknown): unknown {
  return value instanceof Uint8Array ? { $base64: Buffer.from(value).toString("base64") } : value;
}

/** The value for a column, or undefined when it is of another kind. */
function fromJson(value: unknown, column: Column): unknown {
  if (value === null) return column.endsWith("?") ? null : undefined;
  switch (column.replace("?", "")) {
    case "bytes":
      return isRecord(value) && typeof value.$base64 === "string"
        ? Buffer.from(value.$base64, "base64")
        : undefined;
    case "number":
    case "flag":
      return Number.isSafeInteger(value) ? value : undefined;
    case "json":
      return typeof value === "string" && isJson(value) ? value : undefined;
    default:
      return typeof value === "string" ? value : undefined;
  }
}

function invalid(problem: string): ToolkeepError {
  return new ToolkeepError("BACKUP_INVALID", `This is no backup that can be restored: ${problem}.`);
}
