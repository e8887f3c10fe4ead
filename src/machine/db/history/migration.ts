import type { ColumnDataType, ForeignKeyConstraintBuilder, Kysely, RawBuilder } from "kysely";

/** How a database spells the kinds of column there are. */
export interface ColumnTypes {
  /** Text compared byte by byte, so that lists come in the same order everywhere. */
  readonly text: ColumnDataType | RawBuilder<unknown>;
  readonly bytes: ColumnDataType;
  readonly number: ColumnDataType;
  /** 0 or 1. */
  readonly flag: ColumnDataType;
  /** A number that is the key of its table: the fastest there is. */
  readonly rowNumber: ColumnDataType;
  /** What a table ends with whose rows are to lie in the order of its key; null: nothing. */
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

/** For rows that go with the row they refer to. Checked when the transaction ends, so that a restore may insert rows in any order. */
export function goesWith(reference: ForeignKeyConstraintBuilder): ForeignKeyConstraintBuilder {
  return reference.onDelete("cascade").deferrable().initiallyDeferred();
}
