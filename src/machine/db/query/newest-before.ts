import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { Schema } from "../schema.ts";

/** A page of a list whose newest come first: the newest of what is older than `before`. */
export interface NewestBefore {
  readonly before?: { readonly createdAt: number; readonly id: string } | undefined;
  /** At most 500. */
  readonly limit?: number | undefined;
}

/** Those of the same moment are told apart by their ids. */
export function isBefore<T extends "notifications" | "questions">(
  is: ExpressionBuilder<Schema, T>,
  { createdAt, id }: NonNullable<NewestBefore["before"]>,
): Expression<SqlBool> {
  const row = is as unknown as ExpressionBuilder<Schema, "notifications">;
  return row.or([
    row("createdAt", "<", createdAt),
    row.and([row("createdAt", "=", createdAt), row("id", "<", id)]),
  ]);
}
