import { createPace } from "../lib/flow/pace.ts";
import { sanitise, withHash } from "../lib/tool-name.ts";
import type { Settings } from "../machine/config/settings.ts";
import type { ToolNameRecord } from "../machine/db/store.ts";

/** A tool of a server that may not have a name yet. */
export interface Nameless {
  readonly serverId: string;
  readonly serverName: string;
  /** What `{server}` becomes. */
  readonly prefix: string;
  readonly originalName: string;
}

/** Begin the names of scripts and plugins, so no server's tool may. */
const RESERVED_PREFIXES = ["custom_", "plugin_"];

/**
 * Names for those of `tools` that have none in `taken`. A taken name is never given away again, nor a `reserved`
 * one: who would collide gets a short hash. The result does not depend on the order of `tools`. However many there are,
 * others get their turn meanwhile.
 */
export async function nameTools(
  tools: readonly Nameless[],
  taken: readonly ToolNameRecord[],
  reserved: ReadonlySet<string>,
  naming: Settings["naming"],
): Promise<ToolNameRecord[]> {
  const named = new Set(taken.map(pairOf));
  const used = new Set([...reserved, ...taken.map(({ name }) => name)]);
  const newcomers = new Map(
    tools.filter((tool) => !named.has(pairOf(tool))).map((tool) => [pairOf(tool), tool]),
  );

  const records: ToolNameRecord[] = [];
  const pace = createPace();
  for (const tool of [...newcomers.values()].sort(byServerAndName)) {
    const name = freeName(tool, used, naming);
    used.add(name);
    records.push({ serverId: tool.serverId, originalName: tool.originalName, name });
    await pace();
  }
  return records;
}

function freeName(
  tool: Nameless,
  used: ReadonlySet<string>,
  { template, maxLength }: Settings["naming"],
): string {
  const whole = wholeName(tool, template);
  const plain =
    whole.length <= maxLength ? whole : withHash(whole, `${tool.prefix}\0${tool.originalName}`, maxLength);
  let name = plain;
  for (let attempt = 0; used.has(name); attempt++) {
    name = withHash(whole, `${tool.serverName}\0${tool.originalName}\0${attempt}`, maxLength);
  }
  return name;
}

function wholeName({ prefix, originalName }: Nameless, template: string): string {
  const parts: Record<string, string> = { server: prefix, tool: sanitise(originalName) };
  const name = sanitise(template.replace(/\{(server|tool)\}/g, (_, part: string) => parts[part]!));
  return RESERVED_PREFIXES.some((reserved) => name.startsWith(reserved)) ? `mcp_${name}` : name;
}

function pairOf({ serverId, originalName }: { serverId: string; originalName: string }): string {
  return `${serverId}\0${originalName}`;
}

function byServerAndName(a: Nameless, b: Nameless): number {
  return compare(a.serverName, b.serverName) || compare(a.originalName, b.originalName);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
