import { LIST_LIMIT } from "./limits.ts";

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

/** A part of a list, and how long the list is. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** What a database is asked for: whole numbers, and never more than a list may have. */
export function bounded({ limit, offset }: PageRequest): PageRequest {
  return {
    limit: Math.min(Math.max(0, Math.trunc(limit)), LIST_LIMIT),
    offset: Math.min(Math.max(0, Math.trunc(offset)), Number.MAX_SAFE_INTEGER),
  };
}
