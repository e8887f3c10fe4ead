import type { ColumnName, TableName } from "./schema.ts";

/** The primary keys: a dump is ordered by them. */
export const KEYS = {
  notifications: ["id"],
  attachments: ["id"],
  calls: ["id"],
  auditChains: ["id"],
  auditEntries: ["chain", "seq"],
  auditKey: ["id"],
  outputs: ["id"],
  outputPieces: ["outputId", "position"],
  toolUses: ["id"],
} as const satisfies { [T in TableName]: readonly ColumnName<T>[] };

/**
 * What is gone after a day, or can be made again, is not worth a place in a backup; and nobody should be signed in by one.
 */
export const NOT_DUMPED: readonly TableName[] = ["outputs", "outputPieces"];
