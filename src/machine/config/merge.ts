/** Layers on top of each other, and the settings that come out. */
import { toMs } from "./document/expectation.ts";
import type { Layer } from "./layer.ts";
import { SETTINGS, type SettingTable, type Values } from "./schema.ts";
import { fileOAuthOf, fileTlsOf } from "./sections/server-auth.ts";
import { fileSandboxOf } from "./sections/server-sandbox.ts";
import type { ServerConfig, Settings } from "./settings.ts";

export type Origin = "default" | "user" | "project" | "env";

const DAY_MS = 86_400_000;

export interface Layers {
  readonly user?: Layer | undefined;
  readonly project?: Layer | undefined;
  readonly env?: Partial<Values>;
}

export function mergeValues({ user, project, env }: Layers, table: SettingTable = SETTINGS): Values {
  const defaults = Object.entries(table).map(([key, setting]) => [key, setting.default]);
  return { ...(Object.fromEntries(defaults) as Values), ...user?.values, ...project?.values, ...env };
}

/** The whole of the settings, frozen. A server of the project replaces the user's of the same name. */
export function mergeSettings(home: string, layers: Layers, table: SettingTable = SETTINGS): Settings {
  const values = mergeValues(layers, table);
  const features = Object.fromEntries(
    Object.entries(values).filter(([key]) => !Object.hasOwn(SETTINGS, key)),
  );
  const layered = [layers.user, layers.project].filter((layer) => layer !== undefined);
  const servers = layered.flatMap((layer) =>
    layer.servers.map(({ config }) => [config.name, config] as const),
  );
  const rules = layered.flatMap((layer) => layer.rules.map(({ rule }) => rule));
  return deepFreeze({
    ...settingsOf(values),
    features,
    home,
    rules,
    servers: [...new Map(servers).values()],
  });
}

/** Where each setting came from, by its key in the files; servers as `mcp.<name>`. */
export function originsOf(
  { user, project, env }: Layers,
  table: SettingTable = SETTINGS,
): Record<string, Origin> {
  const origins: Record<string, Origin> = {};
  for (const key of Object.keys(table)) {
    if (env && key in env) origins[key] = "env";
    else if (project && key in project.values) origins[key] = "project";
    else origins[key] = user && key in user.values ? "user" : "default";
  }
  for (const { config } of [...(user?.servers ?? []), ...(project?.servers ?? [])]) {
    origins[`mcp.${config.name}`] = config.source as "user" | "project";
  }
  return origins;
}

/** The settings as a file would have them: what `mergeSettings` did, the other way round. */
export function fileShapeOf(settings: Settings): Record<string, unknown> {
  return {
    host: settings.host,
    port: settings.port,
    public_url: settings.publicUrl,
    log_level: settings.logLevel,
    database_url: settings.databaseUrl,
    naming: settings.naming.template,
    max_tool_name_length: settings.naming.maxLength,
    max_description_length: settings.mcp.maxDescriptionLength,
    max_result_chars: settings.limits.maxResultChars,
    max_message_bytes: settings.limits.maxMessageBytes,
    max_tool_concurrency: settings.limits.maxToolConcurrency,
    mcp: {
      enabled: settings.mcp.enabled,
      require_approval: settings.mcp.requireApproval,
      pin: settings.mcp.pin,
      deferred_loading: settings.mcp.deferredLoading,
      tool_timeout_secs: settings.mcp.toolTimeoutMs / 1000,
      idle_timeout_secs: settings.mcp.idleMs / 1000,
      servers: settings.servers.map(fileEntryOf),
    },
    net: { allow_hosts: settings.net.allowHosts },
    rate_limits: {
      requests_per_minute: settings.rateLimits.requestsPerMinute,
      failures_per_minute: settings.rateLimits.failuresPerMinute,
    },
    oauth_server: {
      enabled: settings.oauthServer.enabled,
      dynamic_registration: settings.oauthServer.dynamicRegistration,
      access_token_secs: settings.oauthServer.accessTokenMs / 1000,
      refresh_token_days: settings.oauthServer.refreshTokenMs / DAY_MS,
    },
    tool_search: {
      enabled: settings.toolSearch.enabled,
      threshold: settings.toolSearch.threshold,
      window_percent: settings.toolSearch.windowPercent,
      max_matches: settings.toolSearch.maxMatches,
      embeddings: settings.toolSearch.embeddings,
      models: Object.fromEntries(
        Object.entries(settings.toolSearch.models).map(([name, { window, maxTools, eager }]) => [
          name,
          { window, max_tools: maxTools, eager },
        ]),
      ),
      learn: settings.toolSearch.learn,
    },
    shell: {
      timeout_ms: settings.shell.timeoutMs,
      max_output_bytes: settings.shell.maxOutputBytes,
      sandbox: settings.shell.sandbox,
      network: settings.shell.network,
      memory_mb: settings.shell.memoryMb,
      processes: settings.shell.processes,
      cpu_secs: settings.shell.cpuSecs,
      file_mb: settings.shell.fileMb,
    },
    web: {
      allowed_hosts: settings.web.allowedHosts,
      allowed_ports: settings.web.allowedPorts,
      timeout_ms: settings.web.timeoutMs,
      max_bytes: settings.web.maxBytes,
      search: {
        provider: settings.web.search.provider,
        url: settings.web.search.url,
        api_key: settings.web.search.apiKey,
        max_results: settings.web.search.maxResults,
        timeout_ms: settings.web.search.timeoutMs,
      },
      chromium_path: settings.web.chromiumPath,
      chromium_sandbox: settings.web.chromiumSandbox,
    },
    questions: { wait_ms: settings.questions.waitMs, expire_ms: settings.questions.expireMs },
    approvals: {
      wait_secs: settings.approvals.waitMs / 1000,
      rejected_secs: settings.approvals.rejectedMs / 1000,
      webhook_url: settings.approvals.webhookUrl,
      webhook_secret: settings.approvals.webhookSecret,
    },
    memory: { spaces: settings.memory.spaces, embeddings: settings.memory.embeddings },
    knowledge: { labels: settings.knowledge.labels, embeddings: settings.knowledge.embeddings },
    embeddings: {
      provider: settings.embeddings.provider,
      url: settings.embeddings.url,
      model: settings.embeddings.model,
      api_key: settings.embeddings.apiKey,
      dimensions: settings.embeddings.dimensions,
    },
    stdio: { writes: settings.stdio.writes },
    sync: { watch: settings.sync.watch, interval_mins: settings.sync.intervalMs / 60_000 },
    telemetry: { otlp_url: settings.telemetry.otlpUrl, otlp_headers: settings.telemetry.otlpHeaders },
    retention: {
      audit_days: toDays(settings.retention.auditMs),
      questions_days: toDays(settings.retention.questionsMs),
      notifications_days: toDays(settings.retention.notificationsMs),
      attachments_days: toDays(settings.retention.attachmentsMs),
      tokens_days: toDays(settings.retention.tokensMs),
      memory_history_days: toDays(settings.retention.memoryHistoryMs),
    },
    default_rules: settings.defaultRules,
    trust: { allow_hosts: settings.trust.allowHosts },
    rules: settings.rules.map(({ from: _, ...rule }) => rule),
    ...grouped(settings.features),
  };
}

/** `{ "a.b": 1 }` as a file has it: `{ a: { b: 1 } }`. */
function grouped(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(values)) {
    const path = key.split(".");
    let group = root;
    for (const part of path.slice(0, -1)) {
      group[part] ??= {};
      group = group[part] as Record<string, unknown>;
    }
    group[path.at(-1)!] = value;
  }
  return root;
}

function settingsOf(values: Values): Omit<Settings, "home" | "rules" | "servers" | "features"> {
  return {
    host: values.host,
    port: values.port,
    publicUrl: values.public_url,
    databaseUrl: values.database_url,
    logLevel: values.log_level,
    naming: { template: values.naming, maxLength: values.max_tool_name_length },
    mcp: {
      enabled: values["mcp.enabled"],
      requireApproval: values["mcp.require_approval"],
      pin: values["mcp.pin"],
      deferredLoading: values["mcp.deferred_loading"],
      toolTimeoutMs: toMs(values["mcp.tool_timeout_secs"]),
      maxDescriptionLength: values.max_description_length,
      idleMs: toMs(values["mcp.idle_timeout_secs"]),
    },
    net: { allowHosts: values["net.allow_hosts"] },
    rateLimits: {
      requestsPerMinute: values["rate_limits.requests_per_minute"],
      failuresPerMinute: values["rate_limits.failures_per_minute"],
    },
    oauthServer: {
      enabled: values["oauth_server.enabled"],
      dynamicRegistration: values["oauth_server.dynamic_registration"],
      accessTokenMs: toMs(values["oauth_server.access_token_secs"]),
      refreshTokenMs: values["oauth_server.refresh_token_days"] * DAY_MS,
    },
    toolSearch: {
      enabled: values["tool_search.enabled"],
      threshold: values["tool_search.threshold"],
      windowPercent: values["tool_search.window_percent"],
      maxMatches: values["tool_search.max_matches"],
      embeddings: values["tool_search.embeddings"],
      models: values["tool_search.models"],
      learn: values["tool_search.learn"],
    },
    limits: {
      maxResultChars: values.max_result_chars,
      maxMessageBytes: values.max_message_bytes,
      maxToolConcurrency: values.max_tool_concurrency,
    },
    shell: {
      timeoutMs: values["shell.timeout_ms"],
      maxOutputBytes: values["shell.max_output_bytes"],
      sandbox: values["shell.sandbox"],
      network: values["shell.network"],
      memoryMb: values["shell.memory_mb"],
      processes: values["shell.processes"],
      cpuSecs: values["shell.cpu_secs"],
      fileMb: values["shell.file_mb"],
    },
    web: {
      allowedHosts: values["web.allowed_hosts"],
      allowedPorts: values["web.allowed_ports"],
      timeoutMs: values["web.timeout_ms"],
      maxBytes: values["web.max_bytes"],
      search: {
        provider: values["web.search.provider"],
        url: values["web.search.url"],
        apiKey: values["web.search.api_key"],
        maxResults: values["web.search.max_results"],
        timeoutMs: values["web.search.timeout_ms"],
      },
      chromiumPath: values["web.chromium_path"],
      chromiumSandbox: values["web.chromium_sandbox"],
    },
    defaultRules: values.default_rules,
    trust: { allowHosts: values["trust.allow_hosts"] },
    questions: { waitMs: values["questions.wait_ms"], expireMs: values["questions.expire_ms"] },
    approvals: {
      waitMs: values["approvals.wait_secs"] * 1000,
      rejectedMs: values["approvals.rejected_secs"] * 1000,
      webhookUrl: values["approvals.webhook_url"],
      webhookSecret: values["approvals.webhook_secret"],
    },
    memory: { spaces: values["memory.spaces"], embeddings: values["memory.embeddings"] },
    knowledge: { labels: values["knowledge.labels"], embeddings: values["knowledge.embeddings"] },
    embeddings: {
      provider: values["embeddings.provider"],
      url: values["embeddings.url"],
      model: values["embeddings.model"],
      apiKey: values["embeddings.api_key"],
      dimensions: values["embeddings.dimensions"],
    },
    stdio: { writes: values["stdio.writes"] },
    sync: { watch: values["sync.watch"], intervalMs: values["sync.interval_mins"] * 60_000 },
    telemetry: {
      otlpUrl: values["telemetry.otlp_url"],
      otlpHeaders: values["telemetry.otlp_headers"],
    },
    retention: {
      auditMs: ofDays(values["retention.audit_days"]),
      questionsMs: ofDays(values["retention.questions_days"]),
      notificationsMs: ofDays(values["retention.notifications_days"]),
      attachmentsMs: ofDays(values["retention.attachments_days"]),
      tokensMs: ofDays(values["retention.tokens_days"]),
      memoryHistoryMs: ofDays(values["retention.memory_history_days"]),
    },
  };
}

/** No days are for ever. */
function ofDays(days: number): number | null {
  return days === 0 ? null : days * DAY_MS;
}

function toDays(ms: number | null): number {
  return ms === null ? 0 : ms / DAY_MS;
}

/** Leaves out fields that do not apply to the transport. */
function fileEntryOf(server: ServerConfig): Record<string, unknown> {
  const { name, transport, command, args, env, cwd, url, headers } = server;
  const reached =
    transport === "stdio"
      ? { command, args, env, cwd, sandbox: fileSandboxOf(server.sandbox) }
      : { url, headers, oauth: fileOAuthOf(server.oauth), tls: fileTlsOf(server.tls) };
  return {
    name,
    transport,
    ...reached,
    enabled: server.enabled,
    connect: server.connect,
    keep_alive: server.keepAlive,
    timeout_ms: server.timeoutMs,
    progress_extends_timeout: server.progressExtendsTimeout,
    connect_timeout_ms: server.connectTimeoutMs,
    retry: server.retry,
    trusted: server.trusted,
    pin: server.pin,
    max_concurrency: server.maxConcurrency,
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}
