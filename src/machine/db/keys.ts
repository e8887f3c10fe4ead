import type { ColumnName, TableName } from "./schema.ts";

/** The primary keys: a dump is ordered by them. */
export const KEYS = {
  calls: ["id"],
  auditChains: ["id"],
  auditEntries: ["chain", "seq"],
  auditKey: ["id"],
} as const satisfies { [T in TableName]: readonly ColumnName<T>[] };
