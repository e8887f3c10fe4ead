import type { PageRequest } from "../tables/work/project-record.ts";
import { LIST_LIMIT } from "./limits.ts";

/** What a database is asked for: whole numbers, and never more than a list may have. */
export function bounded({ limit, offset }: PageRequest): PageRequest {
  return {
    limit: Math.min(Math.max(0, Math.trunc(limit)), LIST_LIMIT),
    offset: Math.min(Math.max(0, Math.trunc(offset)), Number.MAX_SAFE_INTEGER),
  };
}
