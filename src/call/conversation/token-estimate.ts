import type { Tool } from "../../contract/tool.ts";

/** Of English and JSON; other scripts take about a token for each character. */
const CHARS_PER_TOKEN = 4;

/** About how many tokens of a model a text takes; rather too many than too few. */
export function estimateTokens(text: string): number {
  let others = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x24f) others += 1;
  return Math.ceil((text.length - others) / CHARS_PER_TOKEN) + others;
}

/** The same for a tool with its schema, as it stands in a list. */
export function toolTokens({ name, description, inputSchema }: Tool): number {
  return estimateTokens(JSON.stringify({ name, description, inputSchema }));
}
