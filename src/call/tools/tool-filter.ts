import type { Tool } from "../../contract/tool.ts";
import { originOf } from "../catalog/grants.ts";
import type { ToolFilter, ToolFlag } from "./contract.ts";

const FLAGS: Readonly<Record<ToolFlag, (tool: Tool) => boolean>> = {
  read_only: ({ flags }) => flags.readOnly,
  destructive: ({ flags }) => flags.destructive,
  other: ({ flags }) => !flags.readOnly && !flags.destructive,
  floor: ({ floor }) => floor,
  untrusted: ({ untrusted }) => untrusted ?? false,
};

/** Whether a tool meets the conditions. Planned tools fit only where their state is asked for. */
export function fitsFilter({ origin, server, flag, state }: ToolFilter): (tool: Tool) => boolean {
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
  conditions.push((tool) => {
    const { kind } = tool.status();
    return state === undefined ? kind !== "planned" : kind === state;
  });
  return (tool) => conditions.every((fits) => fits(tool));
}
