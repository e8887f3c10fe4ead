import { messageOf } from "../../../contract/errors.ts";
import { damaged } from "../database.ts";
import { type Column, type ColumnName, type Row, TABLES, type TableName } from "../schema.ts";

/** Turns records of a noun into rows of its table and back. */
export interface RowCodec<R, T extends TableName> {
  toRow(record: R): Row<T>;
  /** Only the fields that are present. */
  toChange(change: Partial<R>): Partial<Row<T>>;
  toRecord(row: Row<T>): R;
}

export function rowCodec<R extends Record<ColumnName<T>, unknown>, T extends TableName>(
  table: T,
): RowCodec<R, T> {
  const columns = Object.entries(TABLES[table]) as [ColumnName<T>, Column][];

  // Plain loops: lists of tools are long, and this is most of what a row costs.
  const toChange = (change: Partial<R>) => {
    const row: Record<string, unknown> = {};
    for (const [name, column] of columns) {
      const value = change[name];
      if (value !== undefined) row[name] = encode(value, column);
    }
    return row as Partial<Row<T>>;
  };

  return {
    toChange,
    toRow: (record) => toChange(record) as Row<T>,
    toRecord: (row) => {
      const record: Record<string, unknown> = {};
      for (const [name, column] of columns) {
        try {
          record[name] = decode(row[name], column);
        } catch (error) {
          throw damaged(`${name} of a row cannot be read: ${messageOf(error)}`, `table ${table}`);
        }
      }
      return record as unknown as R;
    },
  };
}

function encode(value: unknown, column: Column): unknown {
  if (value === null) return null;
  switch (column) {
    case "json":
    case "json?":
      return JSON.stringify(value);
    case "flag":
    case "flag?":
      return value ? 1 : 0;
    case "number":
    case "number?":
      return Math.round(value as number);
    default:
      return value;
  }
}

function decode(value: unknown, column: Column): unknown {
  if (value === null) return null;
  switch (column) {
    case "json":
    case "json?":
      return JSON.parse(value as string);
    case "flag":
    case "flag?":
      return value === 1;
    case "bytes":
    case "bytes?":
      return new Uint8Array(value as Uint8Array);
    default:
      return value;
  }
}
