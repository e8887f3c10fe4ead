import { z } from "zod";
import { output } from "../../../contract/define-tool.ts";
import type { JsonSchema, SharedContent, ToolResult } from "../../../contract/tool.ts";
import type { Page, PageRequest } from "./page.ts";

export interface PageArgs {
  readonly limit?: number;
  readonly offset?: number;
}

const MOST = 200;
const DEFAULT = 50;

export const PAGE_PROPERTIES: Readonly<Record<keyof PageArgs, JsonSchema>> = {
  limit: { type: "integer", minimum: 1, maximum: MOST, description: `How many at most. Default ${DEFAULT}.` },
  offset: {
    type: "integer",
    minimum: 0,
    maximum: 1_000_000,
    description: "How many to leave out first, to read on where a list ended. Default 0.",
  },
};

/** The same for tools whose arguments are a shape. */
export const pageArguments = {
  limit: z.int().min(1).max(MOST).describe(`How many at most. Default ${DEFAULT}.`).exactOptional(),
  offset: z
    .int()
    .min(0)
    .max(1_000_000)
    .describe("How many to leave out first, to read on where a list ended. Default 0.")
    .exactOptional(),
};

export function pageRequest({ limit = DEFAULT, offset = 0 }: PageArgs, most = MOST): PageRequest {
  return { limit: Math.min(limit, most), offset };
}

/** The answer of a tool that lists: `structured` and how far the list goes for programs, lines for a model. */
export function outputPage<T>(
  page: Page<T>,
  offset: number,
  { line, none }: { readonly line: (item: T) => string; readonly none: string },
  structured: Readonly<Record<string, unknown>>,
  shared?: SharedContent,
): ToolResult {
  const text = listText(page, offset, line, none);
  return output(text, { ...structured, ...pageFacts(page, offset) }, shared);
}

/** Formats a list for a model: its lines, and how to read on if there are more. */
function listText<T>(
  { items, total }: Page<T>,
  offset: number,
  line: (item: T) => string,
  none: string,
): string {
  if (total === 0) return none;
  if (items.length === 0) return `There are ${total} in all; none after the first ${offset}.`;
  const shown = items.map(line).join("\n");
  const end = offset + items.length;
  if (items.length === total) return shown;
  const next = end < total ? `; read on with offset ${end}` : "";
  return `${shown}\n(${offset + 1} to ${end} of ${total}${next})`;
}

/** The part of `structured` that describes a list besides its items. */
function pageFacts({ items, total }: Page<unknown>, offset: number) {
  const end = offset + items.length;
  return { total, ...(items.length > 0 && end < total && { next_offset: end }) };
}
