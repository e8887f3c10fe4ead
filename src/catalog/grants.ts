import type { ToolboxRecord } from "../store/store.ts";
import type { Caller, Tool } from "../tool.ts";

/** The names an agent's toolboxes and single grants add up to. */
export interface GrantSet {
  readonly names: ReadonlySet<string>;
  /** A toolbox holds `*`: every tool with the `wildcard` flag. */
  readonly wildcard: boolean;
}

/** A toolbox name that does not exist grants nothing. The order of toolboxes never matters. */
export function grantSet(
  caller: Pick<Caller, "toolboxes" | "grants">,
  toolboxes: ReadonlyMap<string, Pick<ToolboxRecord, "tools">>,
): GrantSet {
  const names = new Set(caller.grants);
  for (const toolbox of caller.toolboxes) {
    for (const tool of toolboxes.get(toolbox)?.tools ?? []) names.add(tool);
  }
  return { names, wildcard: names.delete("*") };
}

/** (core floor ∪ toolboxes ∪ single grants) ∩ the token's scopes, minus what the context may not have. */
export function isGranted(tool: Tool, caller: Caller, grants: GrantSet): boolean {
  return fitsContext(tool, caller) && inScope(tool, caller) && holds(tool, caller, grants);
}

/** Where a grant comes from, for people: `floor`, `toolbox NAME`, `grant`; empty when it is not granted. */
export function grantedBy(
  tool: Tool,
  caller: Caller,
  toolboxes: ReadonlyMap<string, Pick<ToolboxRecord, "tools">>,
): readonly string[] {
  const from = tool.floor ? ["floor"] : [];
  for (const name of caller.toolboxes) {
    const tools = toolboxes.get(name)?.tools ?? [];
    if (tools.includes(tool.name) || (tool.wildcard && tools.includes("*"))) from.push(`toolbox ${name}`);
  }
  if (caller.grants.includes(tool.name)) from.push("grant");
  return from;
}

/** Whether the counterpart of the tool exists where the caller stands. */
export function fitsContext(tool: Tool, caller: Pick<Caller, "context">): boolean {
  return tool.availability === "both" || tool.availability === caller.context;
}

export function inScope(tool: Tool, caller: Pick<Caller, "scopes">): boolean {
  return caller.scopes === null || caller.scopes.includes(tool.scope);
}

function holds(tool: Tool, caller: Caller, grants: GrantSet): boolean {
  return caller.operator || tool.floor || grants.names.has(tool.name) || (grants.wildcard && tool.wildcard);
}
