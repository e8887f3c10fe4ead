import type { Tool } from "../../contract/tool.ts";

/** For English and JSON; other scripts take about one token per character. */
const CHARS_PER_TOKEN = 4;

/** Estimates the tokens of a text, rather too many than too few. */
export function estimateTokens(text: string): number {
  let otherScripts = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x24f) otherScripts += 1;
  return Math.ceil((text.length - otherScripts) / CHARS_PER_TOKEN) + otherScripts;
}

/** The same for a tool with its schema, as lists contain it. */
export function toolTokens({ name, description, inputSchema }: Tool): number {
  return estimateTokens(JSON.stringify({ name, description, inputSchema }));
}
