import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import { canonicalPermission } from "../../lib/address/resource-uri.ts";
import { wildcard } from "../../lib/text/wildcard.ts";
import { PermissionPatterns } from "./permission-patterns.ts";
import type { ToolboxRecord } from "./toolboxes/contract.ts";

/** The sum of an agent's toolboxes and single grants, compiled. */
export interface GrantSet {
  readonly names: ReadonlySet<string>;
  /** A toolbox holds `*`: every tool with the `wildcard` flag. */
  readonly wildcard: boolean;
  readonly patterns: PermissionPatterns;
  /** Whether it includes the core floor. */
  readonly floor: boolean;
  /** Set: only tools of this origin. */
  readonly origin?: string;
}

/** A toolbox that does not exist grants nothing. The order of toolboxes never matters. */
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

/** Whether a pattern of the caller may match future tools of the server whose address it uses. */
export function mayReachServer(
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

/** The origin of an MCP server's tools, as in `Tool.origin`. */
export function originOf(server: string): string {
  return `mcp:${server}`;
}

/** The name by which the caller knows a tool: at a server's own address, the server's name for it. */
export function nameFor(tool: Pick<Tool, "name" | "ownName">, caller: Pick<Caller, "narrowing">): string {
  return caller.narrowing && "server" in caller.narrowing ? tool.ownName : tool.name;
}

/** (core floor ∪ toolboxes ∪ single grants) ∩ the token's scopes, minus what the caller's context excludes. */
export function isGranted(tool: Tool, caller: Caller, grants: GrantSet): boolean {
  return fitsContext(tool, caller) && isHeld(tool, caller, grants);
}

/**
 * Where a grant comes from, for people: `floor`, `toolbox NAME`, `grant`, with the pattern in brackets where one covers
 * the tool. Empty where it is not granted.
 */
export function grantSources(
  tool: Tool,
  caller: Caller,
  toolboxes: ReadonlyMap<string, Pick<ToolboxRecord, "tools">>,
): readonly string[] {
  const from = tool.floor ? ["floor"] : [];
  for (const name of caller.toolboxes) {
    const entry = coveringEntry(tool, toolboxes.get(name)?.tools ?? []);
    if (entry !== undefined) from.push(`toolbox ${name}${bracketPattern(entry)}`);
  }
  const entry = coveringEntry(tool, caller.grants);
  if (entry !== undefined) from.push(`grant${bracketPattern(entry)}`);
  return from;
}

/** Tool names have no colon, so an entry with one is a pattern for permissions (`mcp:github:*`). */
export function isPattern(entry: string): boolean {
  return entry.includes(":");
}

/** The text that patterns, here and in rules, are matched against. */
export function permissionOf(tool: Pick<Tool, "origin" | "ownName">): string {
  return `${tool.origin}:${tool.ownName}`;
}

/** Whether the caller holds the tool in any context, and so could hand it on. */
export function isHeld(tool: Tool, caller: Caller, grants: GrantSet): boolean {
  return isInScope(tool, caller) && holds(tool, caller, grants);
}

/** Whether the tool makes sense in the caller's context; a scout never changes anything. */
export function fitsContext(
  tool: Pick<Tool, "availability" | "flags">,
  { context }: Pick<Caller, "context">,
): boolean {
  const { availability } = tool;
  // Read last: the flags of a server's tool are computed on demand.
  if (context === "scout") return availability !== "main" && tool.flags.readOnly;
  return availability === "both" || availability === context;
}

export function isInScope(tool: Tool, caller: Pick<Caller, "scopes" | "withheld">): boolean {
  const { scopes } = caller;
  return (scopes === null || scopes.includes(tool.scope)) && !isWithheld(tool, caller);
}

/** Read-only tools are never withheld. */
export function isWithheld({ scope, flags }: Tool, { withheld }: Pick<Caller, "withheld">): boolean {
  return withheld !== undefined && !flags.readOnly && withheld.includes(scope);
}

function holds(tool: Tool, caller: Pick<Caller, "operator">, grants: GrantSet): boolean {
  if (grants.origin !== undefined && grants.origin !== tool.origin) return false;
  if (caller.operator || (tool.floor && grants.floor) || grants.names.has(tool.name)) return true;
  if (grants.wildcard && tool.wildcard) return true;
  return !isGrantedByNameOnly(tool) && grants.patterns.match(tool);
}

function toolboxOf(narrowing: Caller["narrowing"]): string | undefined {
  return narrowing && "toolbox" in narrowing ? narrowing.toolbox : undefined;
}

/** Admin tools are granted only by name, never through `*` or a pattern. */
function isGrantedByNameOnly(tool: Tool): boolean {
  return tool.scope === "admin";
}

/** Whether an entry of a toolbox grants the tool. */
export function covers(tool: Tool, entries: readonly string[]): boolean {
  return coveringEntry(tool, entries) !== undefined;
}

/** The tools that a toolbox with these entries grants by itself, without the core floor. */
export function contentsOf(entries: readonly string[], tools: readonly Tool[]): readonly Tool[] {
  const toolbox = "it";
  const only = { toolboxes: [toolbox], grants: [], narrowing: { toolbox } };
  const grants = grantSet(only, new Map([[toolbox, { tools: entries }]]));
  return tools.filter((tool) => holds(tool, { operator: false }, grants));
}

/** The entry that grants the tool: its name before `*`, `*` before a pattern. */
export function coveringEntry(tool: Tool, entries: readonly string[]): string | undefined {
  if (entries.includes(tool.name)) return tool.name;
  if (tool.wildcard && entries.includes("*")) return "*";
  if (isGrantedByNameOnly(tool)) return undefined;
  return entries.find(
    (entry) => isPattern(entry) && wildcard(canonicalPermission(entry))(permissionOf(tool)),
  );
}

function bracketPattern(entry: string): string {
  return isPattern(entry) ? ` (${entry})` : "";
}
