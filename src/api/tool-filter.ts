import { originOf } from "../catalog/grants.ts";
import type { Tool } from "../tool.ts";
import type { ToolFilter, ToolFlag } from "./contract.ts";
import { nameText } from "./schema.ts";

const FLAGS: Readonly<Record<ToolFlag, (tool: Tool) => boolean>> = {
  read_only: ({ flags }) => flags.readOnly,
  destructive: ({ flags }) => flags.destructive,
  other: ({ flags }) => !flags.readOnly && !flags.destructive,
  floor: ({ floor }) => floor,
  untrusted: ({ untrusted }) => untrusted ?? false,
};

/** The filter as a query string has it. */
export const toolFilter = {
  origin: nameText,
  server: nameText,
  flag: { enum: Object.keys(FLAGS) },
  state: { enum: ["active", "disabled", "pending_approval", "unavailable", "planned"] },
} as const;

/** Undefined: everything fits. */
export function fitsFilter({
  origin,
  server,
  flag,
  state,
}: ToolFilter): ((tool: Tool) => boolean) | undefined {
  const conditions: ((tool: Tool) => boolean)[] = [];
  if (origin !== undefined) {
    const kind = `${origin}:`;
    conditions.push((tool) => tool.origin === origin || tool.origin.startsWith(kind));
  }
  if (server !== undefined) {
    const own = originOf(server);
    conditions.push((tool) => tool.origin === own);
  }
  if (flag !== undefined) conditions.push(FLAGS[flag]);
  if (state !== undefined) conditions.push((tool) => tool.status().kind === state);
  if (conditions.length === 0) return undefined;
  return (tool) => conditions.every((fits) => fits(tool));
}
