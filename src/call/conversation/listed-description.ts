import type { Tool } from "../../contract/tool.ts";
import { wholeCharacterAt } from "../../lib/text/whole-characters.ts";

/** The description of a tool as lists show it: an untrusted one is cut; `tool_search` gives the full text. */
export function listedDescription(
  { description, untrusted }: Pick<Tool, "description" | "untrusted">,
  max: number,
): string {
  if (!untrusted || description.length <= max) return description;
  return `${description.slice(0, wholeCharacterAt(description, max - 1))}…`;
}
