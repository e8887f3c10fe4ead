import type { Vault } from "../../call/vault/vault.ts";
import { maskArgs, maskUrl } from "../../machine/config/masked.ts";
import type { OAuthConfig, SandboxConfig, Settings } from "../../machine/config/settings.ts";
import type { Sandbox } from "../../machine/process/sandbox.ts";
import type { ServerView } from "../contract.ts";
import type { ServerLists } from "../lists/server-lists.ts";
import type { ServerRecord } from "../records.ts";
import type { Era } from "../transport/era.ts";
import { MAX_INSTRUCTIONS } from "../trust/definitions/clean-offer.ts";
import { cleanText } from "../trust/definitions/clean-text.ts";
import { isPinned } from "../trust/pins.ts";
import type { Server } from "./server.ts";
import { listServerSecrets } from "./server-secrets.ts";

interface ViewDeps {
  readonly sandbox: Pick<Sandbox, "known">;
  readonly vault: Pick<Vault, "redact">;
  readonly lists: Pick<ServerLists, "pins" | "hidesInstructions" | "getLeftOut">;
}

/** Shows people a server: only the keys of env and headers; arguments and URL with secrets masked. */
export function toServerView(
  server: Server,
  settings: Settings,
  { sandbox, vault, lists }: ViewDeps,
): ServerView {
  const redact = (text: string) => vault.redact(text);
  const { record, config } = server.definition;
  const era = record.era as Era | null;
  const pinned = isPinned(server.definition, settings);
  return {
    id: record.id,
    name: record.name,
    prefix: record.prefix,
    source: config.source,
    state: server.state,
    enabled: config.enabled && record.enabled,
    trusted: config.trusted,
    pinned,
    waiting: pinned ? lists.pins.countWaiting(record.id) : 0,
    transport: config.transport,
    command: config.command,
    args: maskArgs(config.args).map(redact),
    cwd: config.cwd,
    url: config.url && redact(maskUrl(config.url)),
    envKeys: Object.keys(config.env),
    headerKeys: Object.keys(config.headers),
    secrets: listServerSecrets(config),
    oauth: config.oauth && toOAuthView(config.oauth),
    tls: config.tls,
    timeoutMs: config.timeoutMs ?? settings.mcp.toolTimeoutMs,
    progressExtendsTimeout: config.progressExtendsTimeout,
    connect: config.connect,
    connectTimeoutMs: config.connectTimeoutMs,
    keepAlive: config.keepAlive,
    retry: config.retry,
    maxConcurrency: config.maxConcurrency,
    sandbox: config.sandbox && { ...config.sandbox, problem: findSandboxProblem(config.sandbox, sandbox) },
    toolCount: server.tools.length - lists.pins.getHidden(record.id).size,
    leftOut: lists.getLeftOut(record.id),
    era: era && { era: era.era, version: era.version, at: era.at },
    instructions: lists.hidesInstructions(server) ? null : cleanInstructions(record),
    addedBy: record.addedBy,
    changedAt: record.updatedAt,
    listedAt: record.listedAt,
    lastError: server.failure?.message ?? null,
    failedAt: server.failure?.at ?? null,
  };
}

/** Why a server is not confined as its settings demand; null if it is confined, or if that is not known yet. */
export function findSandboxProblem({ mode }: SandboxConfig, sandbox: Pick<Sandbox, "known">): string | null {
  const known = sandbox.known();
  return mode === "off" || known === undefined || known.ok ? null : known.error;
}

function toOAuthView({ clientSecret, privateKey, ...oauth }: OAuthConfig): NonNullable<ServerView["oauth"]> {
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

function cleanInstructions({ instructions }: ServerRecord): string | null {
  return instructions && cleanText(instructions, MAX_INSTRUCTIONS);
}
