import { type Column, type ColumnName, type Row, TABLES, type TableName } from "./schema.ts";

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

  const toChange = (change: Partial<R>) =>
    Object.fromEntries(
      columns
        .filter(([name]) => change[name] !== undefined)
        .map(([name, column]) => [name, encode(change[name], column)]),
    ) as Partial<Row<T>>;

  return {
    toChange,
    toRow: (record) => toChange(record) as Row<T>,
    toRecord: (row) =>
      Object.fromEntries(columns.map(([name, column]) => [name, decode(row[name], column)])) as unknown as R,
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
