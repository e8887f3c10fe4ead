import type { Column, Migration, Table } from "../../contract/define-table.ts";
import { KEYS } from "./keys.ts";
import { TABLES, type TableName } from "./schema.ts";

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

/** Every table, each after those it refers to: those of features refer to the kernel's, and to their own. */
export function allTables(parts: readonly StorePart[]): readonly TableFacts[] {
  const names = Object.keys(TABLES) as TableName[];
  const kernel = names.map((name) => ({
    name,
    columns: TABLES[name],
    key: KEYS[name],
    isDumped: true,
  }));
  return [...kernel, ...parts.flatMap(({ tables }) => tables)];
}

/** Returns the purpose for which a feature's column is sealed in the row with this key. It opens for no other. */
export function sealedPurpose(table: Table, column: string, key: string): string {
  return `${sealedKind(table, column)}:${key}`;
}

export function sealedKind({ name, sealedAs }: Table, column: string): string {
  return sealedAs[column] ?? `${name}.${column}`;
}
