import type { SelectQueryBuilder } from "kysely";
import { LIST_LIMIT } from "./limits.ts";

/** A page of a list with the newest first: the newest entries that are older than `before`. */
export interface NewestBefore {
  readonly before?: { readonly createdAt: number; readonly id: string } | undefined;
  /** At most 500. */
  readonly limit?: number | undefined;
}

interface DatedTable {
  rows: { createdAt: number; id: string };
}

/** The newest rows first, as many as a page has; rows of the same moment in the order of their ids. The table has `createdAt` and `id`. */
export function newestBefore<S, T extends keyof S, O>(
  query: SelectQueryBuilder<S, T, O>,
  { before, limit = LIST_LIMIT }: NewestBefore = {},
): SelectQueryBuilder<S, T, O> {
  const rows = query as unknown as SelectQueryBuilder<DatedTable, "rows", O>;
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
  return page as unknown as SelectQueryBuilder<S, T, O>;
}
