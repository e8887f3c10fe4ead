import type { ColumnDataType, ForeignKeyConstraintBuilder, Kysely, RawBuilder } from "kysely";
import type { z } from "zod";

/** `json` is text, `flag` is 0 or 1, `number` is whole; a question mark lets a column be null. */
export type Column = Kind | `${Kind}?`;
export type Kind = "text" | "number" | "flag" | "json" | "bytes";

/** A table that belongs to a feature. Its columns have the names of the record's properties. */
export interface Table<Shape extends z.ZodObject = z.ZodObject> {
  /** Camel case here, snake case in the database. */
  readonly name: string;
  /** One row, for messages: "project". */
  readonly noun: string;
  readonly record: Shape;
  readonly columns: Readonly<Record<string, Column>>;
  readonly key: readonly string[];
  /** Columns that are sealed with the home's key. A key rotation seals them again. */
  readonly sealed: readonly string[];
  /** The kinds of sealed columns that are older than features: values are sealed for a purpose that the kind decides. Others: `table.column`. */
  readonly sealedAs: Readonly<Record<string, string>>;
  /** Whether its rows are in backups. */
  readonly isDumped: boolean;
  /** The kind of change that is announced to other processes on the database; null: none. */
  readonly announces: string | null;
}

/** A row as it is stored. */
export type RowOf<T extends Table> = { [C in keyof z.infer<T["record"]>]: Stored<z.infer<T["record"]>[C]> };

type Stored<V> = V extends null
  ? null
  : V extends string
    ? V
    : V extends number | boolean
      ? number
      : V extends Uint8Array
        ? V
        : string;

export function defineTable<Shape extends z.ZodObject>(table: {
  readonly name: string;
  readonly noun: string;
  readonly record: Shape;
  /** Default: `id`. */
  readonly key?: readonly (keyof z.infer<Shape> & string)[];
  readonly sealed?: readonly (keyof z.infer<Shape> & string)[];
  readonly sealedAs?: Readonly<Record<string, string>>;
  readonly isDumped?: boolean;
  readonly announces?: string;
}): Table<Shape> {
  const columns = Object.fromEntries(
    Object.entries(table.record.shape).map(([name, shape]) => [name, columnOf(shape as z.ZodType)]),
  );
  return { key: ["id"], sealed: [], sealedAs: {}, isDumped: true, announces: null, ...table, columns };
}

function columnOf(shape: z.ZodType): Column {
  const { type, innerType } = shape.def as { type: string; innerType?: z.ZodType };
  if (type === "nullable") return `${columnOf(innerType!) as Kind}?`;
  return KINDS[type] ?? "json";
}

const KINDS: Readonly<Record<string, Kind>> = {
  string: "text",
  enum: "text",
  number: "number",
  boolean: "flag",
  // `bytes` of `shape.ts`.
  custom: "bytes",
};

/** The column types of a database. */
export interface ColumnTypes {
  /** Text compared byte by byte, so that lists come in the same order everywhere. */
  readonly text: ColumnDataType | RawBuilder<unknown>;
  readonly bytes: ColumnDataType;
  readonly number: ColumnDataType;
  /** 0 or 1. */
  readonly flag: ColumnDataType;
  /** A number that is the key of its table: the fastest kind of key. */
  readonly rowNumber: ColumnDataType;
  /** The end of a table definition that stores rows in key order; null if there is none. */
  readonly clustered: RawBuilder<unknown> | null;
}

/**
 * One step of the schema. Its name and what it does never change once released; a correction is a new step. It sees
 * the database as it was then, hence untyped.
 */
export interface Migration {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: a migration outlives the schema types of its day
  up(db: Kysely<any>, types: ColumnTypes): Promise<void>;
}

/**
 * For rows that are deleted with the row they refer to. Checked at the end of a transaction, so that a restore may
 * insert rows in any order.
 */
export function goesWith(reference: ForeignKeyConstraintBuilder): ForeignKeyConstraintBuilder {
  return reference.onDelete("cascade").deferrable().initiallyDeferred();
}
