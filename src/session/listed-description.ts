import { wholeCharacterAt } from "../lib/whole-characters.ts";
import type { Tool } from "../tool.ts";

/** The description of a tool as lists have it: what nobody vouches for is cut; `tool_search` gives the whole. */
export function listedDescription(
  { description, untrusted }: Pick<Tool, "description" | "untrusted">,
  max: number,
): string {
  if (!untrusted || description.length <= max) return description;
  return `${description.slice(0, wholeCharacterAt(description, max - 1))}…`;
}
