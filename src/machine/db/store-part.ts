import type { Column, Migration, Table } from "../../contract/define-table.ts";

/** The contribution of a feature to the store: its tables and their migrations. */
export interface StorePart {
  readonly feature: string;
  readonly tables: readonly Table[];
  /** In order of execution. Append only. */
  readonly migrations: readonly Migration[];
}

/** A table as backups see it. */
export interface TableFacts {
  readonly name: string;
  readonly columns: Readonly<Record<string, Column>>;
  readonly key: readonly string[];
  readonly isDumped: boolean;
}

/** Every table, in the order of the features: a restore inserts rows in this order, and deletes them in the opposite one. */
export function allTables(parts: readonly StorePart[]): readonly TableFacts[] {
  return parts.flatMap(({ tables }) => tables);
}

/** Returns the purpose for which a feature's column is sealed in the row with this key. It opens for no other. */
export function sealedPurpose(table: Table, column: string, key: string): string {
  return `${sealedKind(table, column)}:${key}`;
}

export function sealedKind({ name, sealedAs }: Table, column: string): string {
  return sealedAs[column] ?? `${name}.${column}`;
}
