/**
 * The servers of a settings file. Three shapes are read: `mcp: {name: {…}}`, `mcp: {servers: [{name, …}]}` (the
 * TOML `[[mcp.servers]]`) and `mcpServers: {name: {…}}`.
 */
import { isRecord } from "../../../lib/json.ts";
import type { KeyPath } from "../document/document.ts";
import type { FileReport } from "../problem.ts";
import type { ServerConfig } from "../settings.ts";
import { type Entry, readEntry } from "./server-entry.ts";

/** A server and where the file declares it. */
export interface DeclaredServer {
  readonly config: ServerConfig;
  readonly path: KeyPath;
}

/** Every server of the file that is valid; what is wrong with the others is in the report. */
export function readServers(
  root: Record<string, unknown>,
  source: "user" | "project",
  report: FileReport,
): DeclaredServer[] {
  const servers = new Map<unknown, DeclaredServer>();
  for (const entry of entriesOf(root, report)) {
    const first = servers.get(entry.name);
    const config = readEntry(entry, source, report);
    if (first) {
      const got = `a second server "${first.config.name}", first in line ${report.lineOf(first.path)}`;
      report.expectedInstead(entry.path, "every server once in a file", got);
    } else if (config) {
      servers.set(config.name, { config, path: entry.path });
    }
  }
  return [...servers.values()];
}

/** Whether a key of `mcp` is a server and no setting: whatever is an object is one, and so is the list. */
export function isServerInMcp(key: string, value: unknown): boolean {
  return isRecord(value) || (key === "servers" && Array.isArray(value));
}

function entriesOf(root: Record<string, unknown>, report: FileReport): Entry[] {
  const { mcp, mcpServers } = root;
  if (mcpServers != null && !isRecord(mcpServers)) {
    report.expected(["mcpServers"], "an object of servers by name", mcpServers);
  }
  const common = isRecord(mcpServers) ? namedEntries(mcpServers, ["mcpServers"]) : [];
  return isRecord(mcp) ? [...common, ...mcpEntries(mcp)] : common;
}

function mcpEntries(mcp: Record<string, unknown>): Entry[] {
  const { servers, ...others } = mcp;
  const named = namedEntries(recordsOf(others), ["mcp"]);
  if (Array.isArray(servers)) return [...listedEntries(servers), ...named];
  if (!isRecord(servers)) return named;
  // a server has at least a command or a url, which is no object: this tells `servers` by name from a server so named
  const isByName = Object.values(servers).every(isRecord);
  return [
    ...(isByName ? namedEntries(servers, ["mcp", "servers"]) : namedEntries({ servers }, ["mcp"])),
    ...named,
  ];
}

function namedEntries(servers: Record<string, unknown>, path: KeyPath): Entry[] {
  return Object.entries(servers).map(([name, value]) => ({ name, path: [...path, name], value }));
}

function listedEntries(servers: readonly unknown[]): Entry[] {
  return servers.map((value, index) => {
    return { name: isRecord(value) ? value.name : undefined, path: ["mcp", "servers", index], value };
  });
}

function recordsOf(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => isRecord(value)));
}
