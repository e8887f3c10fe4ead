import type { SelectQueryBuilder } from "kysely";
import type { Schema } from "../schema.ts";
import { LIST_LIMIT } from "./limits.ts";

/** A page of a list whose newest come first: the newest of what is older than `before`. */
export interface NewestBefore {
  readonly before?: { readonly createdAt: number; readonly id: string } | undefined;
  /** At most 500. */
  readonly limit?: number | undefined;
}

type Dated = "notifications" | "questions";

/** The newest rows first, as many as a page has. Those of the same moment are told apart by their ids. */
export function newestBefore<T extends Dated, O>(
  query: SelectQueryBuilder<Schema, T, O>,
  { before, limit = LIST_LIMIT }: NewestBefore = {},
): SelectQueryBuilder<Schema, T, O> {
  // Every table of `Dated` has these columns, which Kysely cannot tell.
  const rows = query as unknown as SelectQueryBuilder<Schema, "notifications", O>;
  const page = rows
    .$if(before !== undefined, (all) =>
      all.where((is) =>
        is.or([
          is("createdAt", "<", before!.createdAt),
          is.and([is("createdAt", "=", before!.createdAt), is("id", "<", before!.id)]),
        ]),
      ),
    )
    .orderBy("createdAt", "desc")
    .orderBy("id", "desc")
    .limit(Math.min(limit, LIST_LIMIT));
  return page as unknown as SelectQueryBuilder<Schema, T, O>;
}
