import type { Transaction } from "kysely";
import { messageOf, ToolkeepError } from "../../contract/errors.ts";
import { isJson } from "../../lib/exact-json.ts";
import { isRecord } from "../../lib/json.ts";
import type { Database } from "./database.ts";
import { SCHEMA_VERSION } from "./history/index.ts";
import { inChunks } from "./query/chunks.ts";
import type { Column, Schema } from "./schema.ts";
import type { StoreDump } from "./store.ts";
import { allTables, type StorePart, type TableFacts } from "./store-part.ts";

type Rows = StoreDump["tables"][string];
type Values = Record<string, unknown>;
/** Kysely knows only the names of the tables that the store keeps for itself. */
type AnyTable = keyof Schema;

/** Everything, ordered by key: equal stores give equal dumps, whatever database they lie in. */
export async function dumpTables(database: Database, parts: readonly StorePart[]): Promise<StoreDump> {
  return database.snapshot(async (db) => {
    const tables: Record<string, Rows> = {};
    for (const table of allTables(parts)) if (table.isDumped) tables[table.name] = await dumpTable(db, table);
    const features = Object.fromEntries(parts.map(({ feature, migrations }) => [feature, migrations.length]));
    return { schemaVersion: SCHEMA_VERSION, features, tables };
  });
}

/**
 * Replaces everything, or nothing when it throws: STORE_NEWER for a dump of a later version, BACKUP_INVALID for one
 * that does not fit the tables. A column that an older version did not have is null, or the default it was given.
 */
export async function loadTables(
  database: Database,
  dump: StoreDump,
  parts: readonly StorePart[],
): Promise<void> {
  checkVersion(dump.schemaVersion);
  checkFeatures(dump.features ?? {}, parts);
  const tables = allTables(parts);
  const rows = readTables(dump.tables, tables);
  try {
    await database.change("everything", async (db) => {
      for (const { name } of tables.toReversed()) await db.deleteFrom(name as AnyTable).execute();
      for (const { name } of tables) await insertRows(db, name, rows.get(name) ?? []);
    });
  } catch (error) {
    if (error instanceof ToolkeepError && error.code === "STORE_UNAVAILABLE") throw error;
    throw invalid(`its rows do not fit together: ${messageOf(error)}`);
  }
}

async function dumpTable(db: Transaction<Schema>, { name, key, columns }: TableFacts): Promise<Rows> {
  const query = key.reduce(
    (sorted, column) => sorted.orderBy(column as never),
    db.selectFrom(name as AnyTable).selectAll(),
  );
  const rows = (await query.execute()) as Values[];
  const names = Object.keys(columns);
  return rows.map((row) => Object.fromEntries(names.map((column) => [column, toJson(row[column])])));
}

async function insertRows(db: Transaction<Schema>, name: string, rows: readonly Values[]): Promise<void> {
  for (const chunk of inChunks(rows))
    await db
      .insertInto(name as AnyTable)
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

/** A feature that this version does not have brings nothing that could be restored. */
function checkFeatures(features: unknown, parts: readonly StorePart[]): void {
  if (!isRecord(features)) throw invalid("its features should be an object");
  for (const [feature, version] of Object.entries(features)) {
    const part = parts.find((candidate) => candidate.feature === feature);
    if (part && typeof version === "number" && version <= part.migrations.length) continue;
    throw new ToolkeepError(
      "STORE_NEWER",
      `The backup has version ${JSON.stringify(version)} of the feature ${JSON.stringify(feature)}, which this toolkeep does not know.`,
    );
  }
}

function readTables(tables: unknown, known: readonly TableFacts[]): ReadonlyMap<string, Values[]> {
  if (!isRecord(tables)) throw invalid("it has no tables");
  return new Map(
    Object.entries(tables).map(([name, rows]) => {
      const table = known.find((candidate) => candidate.name === name);
      if (!table) throw invalid(`there is no table "${name}"`);
      if (!Array.isArray(rows)) throw invalid(`table "${name}" should be a list of rows`);
      return [name, rows.map((row) => readRow(table, row))];
    }),
  );
}

function readRow({ name, columns }: TableFacts, row: unknown): Values {
  if (!isRecord(row)) throw invalid(`a row of "${name}" is no object`);
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
