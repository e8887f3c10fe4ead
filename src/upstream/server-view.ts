import { maskArgs, maskUrl } from "../config/masked.ts";
import type { OAuthConfig, Settings } from "../config/settings.ts";
import type { Era } from "./era.ts";
import type { Server } from "./server.ts";
import type { ServerView } from "./upstream.ts";

/** What people may see of a server: of env and headers the keys alone, of arguments and the address what is no secret. */
export function viewOf(server: Server, settings: Settings, redact: (text: string) => string): ServerView {
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
    args: maskArgs(config.args).map(redact),
    cwd: config.cwd,
    url: config.url && redact(maskUrl(config.url)),
    envKeys: Object.keys(config.env),
    headerKeys: Object.keys(config.headers),
    oauth: config.oauth && oauthView(config.oauth),
    tls: config.tls,
    timeoutMs: config.timeoutMs ?? settings.mcp.toolTimeoutMs,
    progressExtendsTimeout: config.progressExtendsTimeout,
    connect: config.connect,
    connectTimeoutMs: config.connectTimeoutMs,
    keepAlive: config.keepAlive,
    retry: config.retry,
    maxConcurrency: config.maxConcurrency,
    toolCount: server.tools.length,
    era: era && { era: era.era, version: era.version, at: era.at },
    instructions: record.instructions,
    addedBy: record.addedBy,
    changedAt: record.updatedAt,
    listedAt: record.listedAt,
    lastError: server.lastError,
  };
}

function oauthView({ clientSecret, privateKey, ...oauth }: OAuthConfig): NonNullable<ServerView["oauth"]> {
  const { grant, clientId, scope } = oauth;
  return {
    grant,
    clientId,
    hasSecret: clientSecret !== null,
    hasPrivateKey: privateKey !== null,
    clientMetadataUrl: oauth.clientMetadataUrl && maskUrl(oauth.clientMetadataUrl),
    scope,
  };
}
