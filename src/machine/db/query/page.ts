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

/** Converts a request to whole numbers within the limit of a list. */
export function bounded({ limit, offset }: PageRequest): PageRequest {
  return {
    limit: Math.min(Math.max(0, Math.trunc(limit)), LIST_LIMIT),
    offset: Math.min(Math.max(0, Math.trunc(offset)), Number.MAX_SAFE_INTEGER),
  };
}
