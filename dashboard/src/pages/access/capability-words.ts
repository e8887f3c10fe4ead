import type { ToolDetail } from "../../api/contract.ts";

/** What a tool can do outside its call, in words. */
export const CAPABILITIES: readonly (readonly [ToolDetail["capabilities"][number], string])[] = [
  ["fs.read", "Reads files"],
  ["fs.write", "Writes files"],
  ["net", "Reaches the network"],
  ["shell", "Runs programs"],
  ["secrets", "Uses secrets"],
  ["people", "Asks people"],
  ["agents", "Changes agents"],
  ["admin", "Changes Toolkeep"],
];

export function capabilityInWords(capability: string): string {
  return CAPABILITIES.find(([id]) => id === capability)?.[1] ?? capability;
}
