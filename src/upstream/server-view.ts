import { maskArgs, maskUrl } from "../config/masked.ts";
import type { Settings } from "../config/settings.ts";
import type { Era } from "./connection.ts";
import type { Server } from "./server.ts";
import type { ServerView } from "./upstream.ts";

/** What people may see of a server: of env and headers the keys alone, of arguments and the address what is no secret. */
export function viewOf(server: Server, settings: Settings): ServerView {
  const { record, config } = server.definition;
  const era = record.era as Era | null;
  return {
    id: record.id,
    name: record.name,
    prefix: record.prefix,
    source: config.source,
    state: server.state,
    enabled: config.enabled && record.enabled,
    trusted: config.trusted,
    transport: config.transport,
    command: config.command,
    args: maskArgs(config.args),
    cwd: config.cwd,
    url: config.url && maskUrl(config.url),
    envKeys: Object.keys(config.env),
    headerKeys: Object.keys(config.headers),
    timeoutMs: config.timeoutMs ?? settings.mcp.toolTimeoutMs,
    connect: config.connect,
    toolCount: server.tools.length,
    era: era && { era: era.era, version: era.version, at: era.at },
    addedBy: record.addedBy,
    listedAt: record.listedAt,
    lastError: server.lastError,
  };
}
