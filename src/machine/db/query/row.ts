import type { Column, RowOf, Table } from "../../../contract/define-table.ts";
import { messageOf } from "../../../contract/errors.ts";
import type { Infer } from "../../../contract/shape.ts";
import { damaged } from "../database.ts";

/** Turns records of a noun into rows of its table and back. */
export interface RowCodec<Record, Row> {
  toRow(record: Record): Row;
  /** Only the fields that are present. */
  toChange(change: Partial<Record>): Partial<Row>;
  toRecord(row: Row): Record;
}

/** The codec of a feature's table. */
export function codecOf<T extends Table>(table: T): RowCodec<Infer<T["record"]>, RowOf<T>> {
  return codec(table.name, table.columns);
}

function codec<R, S>(table: string, described: Readonly<Record<string, Column>>): RowCodec<R, S> {
  const columns = Object.entries(described) as [keyof R & keyof S & string, Column][];

  // Plain loops: lists of tools are long, and this is most of what a row costs.
  const toChange = (change: Partial<R>) => {
    const row: Record<string, unknown> = {};
    for (const [name, column] of columns) {
      const value = change[name];
      if (value !== undefined) row[name] = encode(value, column);
    }
    return row as Partial<S>;
  };

  return {
    toChange,
    toRow: (record) => toChange(record) as S,
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
