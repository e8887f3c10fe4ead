import { cursorText, readCursor } from "../../contract/define-route.ts";
import type { NewestBefore } from "../../machine/db/query/newest-before.ts";
import { filledText } from "./schema.ts";

/** Which page of a list is asked for whose newest come first. */
export interface NewestQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

export const newestQuery = {
  limit: { type: "integer", minimum: 1, maximum: 500 },
  cursor: filledText(1_000),
} as const;

const MOST = 500;

/** Throws BAD_REQUEST for a cursor that is none. */
export function newestBefore({ limit = MOST, cursor }: NewestQuery): NewestBefore & { limit: number } {
  if (cursor === undefined) return { limit };
  return { limit, before: readCursor<{ createdAt: number; id: string }>(cursor, PLACE) };
}

const PLACE = { createdAt: "number", id: "string" } as const;

/** Where the older ones begin; null where a page is not full. `found` has the oldest first. */
export function nextBefore(
  found: readonly { readonly createdAt: number; readonly id: string }[],
  limit: number,
): string | null {
  const oldest = found[0];
  if (found.length < limit || oldest === undefined) return null;
  return cursorText({ createdAt: oldest.createdAt, id: oldest.id });
}
