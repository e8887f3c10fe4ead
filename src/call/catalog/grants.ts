import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import { canonicalPermission } from "../../lib/address/resource-uri.ts";
import { wildcard } from "../../lib/text/wildcard.ts";
import type { ToolboxRecord } from "../../machine/db/store.ts";
import { PermissionPatterns } from "./permission-patterns.ts";

/** What an agent's toolboxes and single grants add up to, compiled. */
export interface GrantSet {
  readonly names: ReadonlySet<string>;
  /** A toolbox holds `*`: every tool with the `wildcard` flag. */
  readonly wildcard: boolean;
  readonly patterns: PermissionPatterns;
  /** Whether the core floor is part of it. */
  readonly floor: boolean;
  /** Set: only what comes from here. */
  readonly origin?: string;
}

/** A toolbox name that does not exist grants nothing. The order of toolboxes never matters. */
export function grantSet(
  caller: Pick<Caller, "toolboxes" | "grants" | "narrowing">,
  toolboxes: ReadonlyMap<string, Pick<ToolboxRecord, "tools">>,
): GrantSet {
  const { narrowing } = caller;
  const entries = entriesOf(caller, toolboxes);
  const isWildcard = entries.delete("*");
  const patterns = [...entries].filter(isPattern);
  for (const pattern of patterns) entries.delete(pattern);
  return {
    names: entries,
    wildcard: isWildcard,
    patterns: new PermissionPatterns(patterns),
    floor: toolboxOf(narrowing) === undefined,
    ...(narrowing && "server" in narrowing ? { origin: originOf(narrowing.server) } : {}),
  };
}

/** The names, patterns and `*` of the caller's toolboxes and single grants. */
export function entriesOf(
  { toolboxes, grants, narrowing }: Pick<Caller, "toolboxes" | "grants" | "narrowing">,
  byName: ReadonlyMap<string, Pick<ToolboxRecord, "tools">>,
): Set<string> {
  const only = toolboxOf(narrowing);
  const entries = new Set(only === undefined ? grants : []);
  for (const toolbox of toolboxes) {
    if (only !== undefined && toolbox !== only) continue;
    for (const tool of byName.get(toolbox)?.tools ?? []) entries.add(tool);
  }
  return entries;
}

/** Whether a pattern of the caller's may match tools of the server that its address names, whatever they will be. */
export function reaches(
  caller: Caller,
  toolboxes: ReadonlyMap<string, Pick<ToolboxRecord, "tools">>,
  { origin }: GrantSet,
): boolean {
  if (origin === undefined || (caller.scopes && !caller.scopes.includes("mcp"))) return false;
  const permissions = `${origin}:`;
  return [...entriesOf(caller, toolboxes)].filter(isPattern).some((pattern) => {
    const literal = pattern.split("*", 1)[0]!;
    return literal.startsWith(permissions) || permissions.startsWith(literal);
  });
}

/** Where the tools of an MCP server come from, as `Tool.origin` puts it. */
export function originOf(server: string): string {
  return `mcp:${server}`;
}

/** The name by which the caller knows a tool: at a server's own address, the one that the server gave. */
export function nameFor(tool: Pick<Tool, "name" | "ownName">, caller: Pick<Caller, "narrowing">): string {
  return caller.narrowing && "server" in caller.narrowing ? tool.ownName : tool.name;
}

/** (core floor ∪ toolboxes ∪ single grants) ∩ the token's scopes, minus what the context may not have. */
export function isGranted(tool: Tool, caller: Caller, grants: GrantSet): boolean {
  return fitsContext(tool, caller) && isHeld(tool, caller, grants);
}

/**
 * Where a grant comes from, for people: `floor`, `toolbox NAME`, `grant`, with the pattern in brackets where one
 * covers the tool; empty when it is not granted.
 */
export function grantedBy(
  tool: Tool,
  caller: Caller,
  toolboxes: ReadonlyMap<string, Pick<ToolboxRecord, "tools">>,
): readonly string[] {
  const from = tool.floor ? ["floor"] : [];
  for (const name of caller.toolboxes) {
    const entry = covering(tool, toolboxes.get(name)?.tools ?? []);
    if (entry !== undefined) from.push(`toolbox ${name}${bracketed(entry)}`);
  }
  const entry = covering(tool, caller.grants);
  if (entry !== undefined) from.push(`grant${bracketed(entry)}`);
  return from;
}

/** Tool names have no colon, so whatever has one is a pattern for permissions (`mcp:github:*`). */
export function isPattern(entry: string): boolean {
  return entry.includes(":");
}

/** What patterns, here and in rules, are matched against. */
export function permissionOf(tool: Pick<Tool, "origin" | "ownName">): string {
  return `${tool.origin}:${tool.ownName}`;
}

/** Whether the caller has it, wherever it stands: what it could hand on. */
export function isHeld(tool: Tool, caller: Caller, grants: GrantSet): boolean {
  return inScope(tool, caller) && holds(tool, caller, grants);
}

/** Whether the counterpart of the tool exists where the caller stands; a scout changes nothing anywhere. */
export function fitsContext(
  tool: Pick<Tool, "availability" | "flags">,
  { context }: Pick<Caller, "context">,
): boolean {
  const { availability } = tool;
  // The flags of a server's tool are worked out when somebody asks for them.
  if (context === "scout") return availability !== "main" && tool.flags.readOnly;
  return availability === "both" || availability === context;
}

export function inScope(tool: Tool, caller: Pick<Caller, "scopes" | "withheld">): boolean {
  const { scopes } = caller;
  return (scopes === null || scopes.includes(tool.scope)) && !isWithheld(tool, caller);
}

/** What only reads is never withheld. */
export function isWithheld({ scope, flags }: Tool, { withheld }: Pick<Caller, "withheld">): boolean {
  return withheld !== undefined && !flags.readOnly && withheld.includes(scope);
}

function holds(tool: Tool, caller: Pick<Caller, "operator">, grants: GrantSet): boolean {
  if (grants.origin !== undefined && grants.origin !== tool.origin) return false;
  if (caller.operator || (tool.floor && grants.floor) || grants.names.has(tool.name)) return true;
  if (grants.wildcard && tool.wildcard) return true;
  return !isByNameOnly(tool) && grants.patterns.match(tool);
}

function toolboxOf(narrowing: Caller["narrowing"]): string | undefined {
  return narrowing && "toolbox" in narrowing ? narrowing.toolbox : undefined;
}

/** What manages Toolkeep itself is never given by the way. */
function isByNameOnly(tool: Tool): boolean {
  return tool.scope === "admin";
}

/** Whether an entry of a toolbox grants the tool. */
export function covers(tool: Tool, entries: readonly string[]): boolean {
  return covering(tool, entries) !== undefined;
}

/** What a toolbox with these entries gives by itself: no floor, whoever has it. */
export function contentsOf(entries: readonly string[], tools: readonly Tool[]): readonly Tool[] {
  const toolbox = "it";
  const only = { toolboxes: [toolbox], grants: [], narrowing: { toolbox } };
  const grants = grantSet(only, new Map([[toolbox, { tools: entries }]]));
  return tools.filter((tool) => holds(tool, { operator: false }, grants));
}

/** The entry that grants the tool: its name before `*`, `*` before a pattern. */
export function covering(tool: Tool, entries: readonly string[]): string | undefined {
  if (entries.includes(tool.name)) return tool.name;
  if (tool.wildcard && entries.includes("*")) return "*";
  if (isByNameOnly(tool)) return undefined;
  return entries.find(
    (entry) => isPattern(entry) && wildcard(canonicalPermission(entry))(permissionOf(tool)),
  );
}

function bracketed(entry: string): string {
  return isPattern(entry) ? ` (${entry})` : "";
}
