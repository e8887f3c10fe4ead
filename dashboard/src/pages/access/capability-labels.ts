import type { ToolDetail } from "../../api/contract.ts";

/** The capabilities of tools with their labels. */
export const CAPABILITIES: readonly (readonly [ToolDetail["capabilities"][number], string])[] = [
  ["fs.read", "Reads files"],
  ["fs.write", "Writes files"],
  ["net", "Accesses the network"],
  ["shell", "Runs programs"],
  ["secrets", "Uses secrets"],
  ["people", "Asks people"],
  ["agents", "Manages agents"],
  ["admin", "Manages Toolkeep"],
];

export function describeCapability(capability: string): string {
  return CAPABILITIES.find(([id]) => id === capability)?.[1] ?? capability;
}
