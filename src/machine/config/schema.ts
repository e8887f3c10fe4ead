/**
 * Every setting that has one value: its dotted key in the files, what it accepts, its default, the variable that
 * overrides it and what a project file may do to it. Reading, merging, checking and the documentation all follow
 * this table. Servers and rules, which are lists, are in `server-entry.ts` and `rules.ts`.
 */
import { z } from "zod";
import {
  httpUrl,
  MAX_TIMEOUT_MS,
  oneOf,
  text,
  timeoutMs,
  timeoutSecs,
  wholeNumber,
  yesOrNo,
} from "./document/expectation.ts";
import { APPROVAL_SETTINGS } from "./sections/approval-settings.ts";
import { EMBEDDING_SETTINGS } from "./sections/embedding-settings.ts";
import { MEMORY_SETTINGS } from "./sections/memory-settings.ts";
import {
  hostGlobs,
  hostList,
  hostName,
  MODEL_LIMITS,
  modelLimits,
  namingTemplate,
  portList,
  postgresUrl,
  publicUrl,
} from "./sections/setting-shapes.ts";
import { SYNC_SETTINGS } from "./sections/sync-settings.ts";
import { TELEMETRY_SETTINGS } from "./sections/telemetry-settings.ts";
import { DAYS, DAYS_OR_EVER, SECONDS, type Setting, setting } from "./setting.ts";

export type { ProjectPolicy, Setting } from "./setting.ts";

export const SETTINGS = {
  host: setting(hostName(), {
    default: "127.0.0.1",
    env: "TOOLKEEP_HOST",
    project: "never",
    restart: true,
    description: "The address the daemon listens on.",
  }),
  port: setting(wholeNumber(0, 65_535), {
    default: 19_850,
    env: "TOOLKEEP_PORT",
    project: "never",
    restart: true,
    description: "The port it listens on; 0 takes a free one.",
  }),
  public_url: setting(publicUrl(), {
    default: null,
    env: "TOOLKEEP_PUBLIC_URL",
    project: "never",
    restart: true,
    description: "How clients reach the daemon when a proxy stands in front.",
  }),
  log_level: setting(oneOf(["fatal", "error", "warn", "info", "debug", "trace", "silent"]), {
    default: "info",
    env: "TOOLKEEP_LOG_LEVEL",
    project: "never",
    description: "The least important log line that is written.",
  }),
  database_url: setting(postgresUrl(), {
    default: null,
    env: "DATABASE_URL",
    project: "never",
    restart: true,
    description: "A PostgreSQL database instead of the SQLite file in the home folder.",
  }),
  naming: setting(namingTemplate(), {
    at: "naming.template",
    default: "mcp_{server}_{tool}",
    project: "never",
    description: "How tools of servers are named; contains `{server}` and `{tool}`. Names given before stay.",
  }),
  max_tool_name_length: setting(wholeNumber(24, 64), {
    at: "naming.maxLength",
    default: 50,
    project: "never",
    description: "The longest tool name given to a tool of a server.",
  }),
  max_description_length: setting(wholeNumber(20, 10_000, "characters"), {
    at: "mcp.maxDescriptionLength",
    default: 200,
    project: "lower",
    description:
      "Where the description of a tool that is not loaded is cut: in prompts, and in the answer of `list_tools`.",
  }),
  max_result_chars: setting(wholeNumber(1_000, 10_000_000, "characters"), {
    at: "limits.maxResultChars",
    default: 50_000,
    project: "lower",
    description: "Where the result of a call is cut; the whole of it is kept in the workspace.",
  }),
  max_message_bytes: setting(wholeNumber(65_536, 67_108_864, "bytes"), {
    at: "limits.maxMessageBytes",
    default: 4 * 1024 * 1024,
    project: "lower",
    description: "The largest message accepted from a server or a client.",
  }),
  max_tool_concurrency: setting(wholeNumber(1, 100), {
    at: "limits.maxToolConcurrency",
    default: 10,
    env: "TOOLKEEP_MAX_TOOL_USE_CONCURRENCY",
    project: "lower",
    description: "How many calls of one batch run at the same time.",
  }),
  "mcp.enabled": setting(yesOrNo(), {
    default: true,
    project: { only: false },
    description: "False: no server contributes tools.",
  }),
  "mcp.require_approval": setting(yesOrNo(), {
    default: true,
    env: "MCP_REQUIRE_APPROVAL",
    project: { only: true },
    description: "Servers that an agent adds wait for a person.",
  }),
  "mcp.pin": setting(z.union([z.literal("untrusted"), z.boolean()], '"untrusted", true or false'), {
    default: "untrusted",
    project: { only: true },
    description:
      "Of which servers new and changed tools wait until a person has accepted them, where the server itself does not say: those that nobody trusts, all, or none.",
  }),
  "mcp.deferred_loading": setting(z.union([z.literal("auto"), z.boolean()], '"auto", true or false'), {
    default: "auto",
    project: "any",
    description:
      "Whether lists leave tools to `tool_search` that only a pattern or `*` brings; `auto`: above the threshold, or where they would fill too much of the model's window.",
  }),
  "mcp.tool_timeout_secs": setting(timeoutSecs(), {
    at: "mcp.toolTimeoutMs",
    form: SECONDS,
    default: 120,
    project: "lower",
    description: "How long one call may take where its server sets no limit of its own.",
  }),
  "mcp.idle_timeout_secs": setting(wholeNumber(1, 86_400, "seconds (a day at most)"), {
    at: "mcp.idleMs",
    form: SECONDS,
    default: 600,
    project: "lower",
    description: "Without a call for this long a server is stopped, unless it has `keep_alive`.",
  }),
  "net.allow_hosts": setting(hostList(), {
    default: [],
    project: "never",
    description:
      "Hosts of private networks that servers, their documents and agents that add servers may name: host names, `*.` and a domain, addresses, or ranges such as `10.0.0.0/8`.",
  }),
  "rate_limits.requests_per_minute": setting(wholeNumber(0, 10_000_000), {
    default: 0,
    project: "never",
    description:
      "How many requests a minute one token may make at `/mcp`, `/rpc` and `/api`; a minute's worth may come at once. 0: as many as it likes.",
  }),
  "rate_limits.failures_per_minute": setting(wholeNumber(0, 10_000_000), {
    default: 60,
    project: "never",
    description:
      "How many tokens and codes that are not known may come from one address in a minute. 0: as many as it likes.",
  }),
  "oauth_server.enabled": setting(yesOrNo(), {
    default: true,
    project: "never",
    description: "Whether clients may ask a person for a token in the browser (OAuth).",
  }),
  "oauth_server.dynamic_registration": setting(yesOrNo(), {
    default: false,
    project: "never",
    description:
      "Whether a client may introduce itself by a registration, which proves nothing, instead of a document at its own address.",
  }),
  "oauth_server.access_token_secs": setting(wholeNumber(60, 86_400, "seconds (1 minute to a day)"), {
    at: "oauthServer.accessTokenMs",
    form: SECONDS,
    default: 3_600,
    project: "never",
    description: "How long a token lives that a client got this way; then the client renews it.",
  }),
  "oauth_server.refresh_token_days": setting(wholeNumber(1, 365, "days (1 to 365)"), {
    at: "oauthServer.refreshTokenMs",
    form: DAYS,
    default: 30,
    project: "never",
    description:
      "How long after its last renewal a client may renew once more, without asking a person again.",
  }),
  "tool_search.enabled": setting(yesOrNo(), {
    default: true,
    project: "any",
    description: "Whether agents have `tool_search`.",
  }),
  "tool_search.threshold": setting(wholeNumber(0, 10_000), {
    default: 20,
    project: "any",
    description: "With more tools than this, all of an agent's counted, `auto` defers.",
  }),
  "tool_search.window_percent": setting(wholeNumber(1, 100, "percent"), {
    default: 5,
    project: "any",
    description: "`auto` also defers where the schemas would take more of the model's window than this.",
  }),
  "tool_search.models": setting(modelLimits(), {
    form: MODEL_LIMITS,
    default: {},
    project: "any",
    description:
      'What holds for lists of a model, by its name, `*` for anything: `{"gpt-*": {"window": 400000, "max_tools": 128, "eager": ["create_issue"]}}`. `eager` tools are never deferred: names, ends of names, or patterns with `*`.',
  }),
  "tool_search.max_matches": setting(wholeNumber(1, 100), {
    default: 10,
    project: "any",
    description: "The most matches one search returns.",
  }),
  "tool_search.embeddings": setting(z.union([z.literal("auto"), z.literal(false)], '"auto" or false'), {
    default: "auto",
    project: { only: false },
    description:
      "Whether tools are found by what they mean, too: `auto` where the model can run, else by their words alone.",
  }),
  "tool_search.learn": setting(yesOrNo(), {
    default: false,
    project: { only: false },
    description:
      "Whether what an agent calls after a search lifts it in later searches of that agent with the same words.",
  }),
  "shell.timeout_ms": setting(timeoutMs(), {
    default: 120_000,
    project: "lower",
    description: "How long a command of `run_shell` may take.",
  }),
  "shell.max_output_bytes": setting(wholeNumber(1_000, 10_000_000, "bytes"), {
    default: 200_000,
    project: "lower",
    description: "How much output of a command is kept.",
  }),
  "shell.sandbox": setting(oneOf(["off", "auto", "required"]), {
    default: "auto",
    project: "never",
    description:
      "Whether commands of `run_shell` and the user's scripts are confined by bubblewrap: `auto` where it works, `required` or they do not run, `off`.",
  }),
  "shell.network": setting(yesOrNo(), {
    default: true,
    project: { only: false },
    description: "False: commands of `run_shell` have no network, where they are confined.",
  }),
  "shell.memory_mb": setting(wholeNumber(0, 1_000_000, "megabytes, or 0 for no limit"), {
    default: 8_192,
    project: "never",
    description: "How much memory each process of a confined command may use, in megabytes; 0: no limit.",
  }),
  "shell.processes": setting(wholeNumber(0, 100_000, "processes, or 0 for no limit"), {
    default: 4_096,
    project: "never",
    description: "How many processes and threads a confined command may have at a time; 0: no limit.",
  }),
  "shell.cpu_secs": setting(wholeNumber(0, 1_000_000, "seconds, or 0 for no limit"), {
    default: 3_600,
    project: "never",
    description: "How long each process of a confined command may use a processor, in seconds; 0: no limit.",
  }),
  "shell.file_mb": setting(wholeNumber(0, 1_000_000, "megabytes, or 0 for no limit"), {
    default: 2_048,
    project: "never",
    description:
      "The longest file that a confined command may write, and how much fits into its `/tmp`, in megabytes; 0: no limit.",
  }),
  default_rules: setting(yesOrNo(), {
    default: true,
    env: "TOOLKEEP_DEFAULT_RULES",
    project: { only: true },
    description:
      "Whether the rules that come with Toolkeep count: destructive tools ask, as does what untrusted servers write, reach or run, and the shell.",
  }),
  "trust.allow_hosts": setting(hostGlobs(), {
    default: [],
    project: "never",
    description:
      "Hosts that tools of untrusted servers may reach without asking: names, with `*` for anything.",
  }),
  "questions.wait_ms": setting(wholeNumber(0, MAX_TIMEOUT_MS, "milliseconds"), {
    default: 55_000,
    project: "never",
    description: "How long a call waits for a person's answer before it ends as `needs_input`.",
  }),
  "questions.expire_ms": setting(wholeNumber(60_000, 1_209_600_000, "milliseconds (1 minute to 14 days)"), {
    default: 86_400_000,
    project: "never",
    description: "After this a question can no longer be answered.",
  }),
  ...APPROVAL_SETTINGS,
  ...TELEMETRY_SETTINGS,
  ...SYNC_SETTINGS,
  ...MEMORY_SETTINGS,
  ...EMBEDDING_SETTINGS,
  "web.allowed_hosts": setting(hostList(), {
    default: [],
    project: "never",
    description:
      "Hosts of private networks that the web tools may reach: host names, `*.` and a domain, addresses, or ranges such as `10.0.0.0/8`.",
  }),
  "web.allowed_ports": setting(portList(), {
    default: [],
    project: "never",
    description:
      "The only ports that the web tools may ask, such as `[80, 443]`; empty: every port that a browser would ask.",
  }),
  "web.timeout_ms": setting(timeoutMs(), {
    default: 30_000,
    project: "lower",
    description: "How long a web tool waits for an answer, or for a page to load.",
  }),
  "web.max_bytes": setting(wholeNumber(65_536, 67_108_864, "bytes"), {
    default: 10 * 1024 * 1024,
    project: "lower",
    description: "How much of an answer a web tool reads, decompressed.",
  }),
  "web.search.provider": setting(oneOf(["searxng", "brave", "tavily"]), {
    default: null,
    env: "TOOLKEEP_SEARCH_PROVIDER",
    project: "never",
    description: "Who answers `web_search`: `searxng`, `brave` or `tavily`.",
  }),
  "web.search.url": setting(httpUrl(), {
    default: null,
    env: "TOOLKEEP_SEARCH_URL",
    project: "never",
    description: "Where the provider is. SearXNG needs it; the others are found without.",
  }),
  "web.search.api_key": setting(text("a key, or {{secret:NAME}} for one in the vault", 1_000), {
    default: null,
    env: "TOOLKEEP_SEARCH_API_KEY",
    project: "never",
    description:
      "The key for the provider; better its name in the vault, as `{{secret:NAME}}`. Brave and Tavily need one.",
  }),
  "web.search.max_results": setting(wholeNumber(1, 50), {
    default: 10,
    project: "lower",
    description: "The most results that one search gives.",
  }),
  "web.search.timeout_ms": setting(timeoutMs(), {
    default: 15_000,
    project: "lower",
    description: "How long the provider may take.",
  }),
  "web.chromium_path": setting(text("the path of a Chromium or Chrome program"), {
    default: null,
    env: "TOOLKEEP_CHROMIUM_PATH",
    project: "never",
    description: "The browser for `screenshot_url`; without it, one is looked for in the usual places.",
  }),
  "web.chromium_sandbox": setting(yesOrNo(), {
    default: true,
    project: { only: true },
    description:
      "Whether that browser runs in its own sandbox; as root it cannot, and never does. Turn it off only inside a container that lacks what it needs.",
  }),
  "retention.audit_days": retention("retention.auditMs", 90, "How long the record of a call is kept."),
  "retention.questions_days": retention(
    "retention.questionsMs",
    30,
    "How long a question is kept after the time in which it could be answered.",
  ),
  "retention.notifications_days": retention(
    "retention.notificationsMs",
    30,
    "How long a notification is kept after it was dismissed.",
  ),
  "retention.attachments_days": retention(
    "retention.attachmentsMs",
    90,
    "How long a file that an agent attached is kept.",
  ),
  "retention.tokens_days": retention("retention.tokensMs", 30, "How long an expired token is still listed."),
  "retention.memory_history_days": retention(
    "retention.memoryHistoryMs",
    365,
    "How long it is kept what a memory said before it changed.",
  ),
} as const;

export type SettingKey = keyof typeof SETTINGS;

/** One value per setting; null where it is not set. */
export type Values = {
  readonly [K in SettingKey]:
    | z.output<(typeof SETTINGS)[K]["schema"]>
    | Extract<(typeof SETTINGS)[K]["default"], null>;
};

/** Settings by their keys: those above, and those that features declare. */
export type SettingTable = Readonly<Record<string, Setting>>;

/** The objects that settings are grouped in: `mcp`, `shell`, `web`, `web.search` … */
export function groupsOf(table: SettingTable): ReadonlySet<string> {
  return new Set(
    Object.keys(table).flatMap((key) => {
      const parts = key.split(".").slice(0, -1);
      return parts.map((_, index) => parts.slice(0, index + 1).join("."));
    }),
  );
}

/** Further names of keys: at the top level of a file, or from before they were renamed. */
export const ALIASES: Readonly<Record<string, SettingKey>> = {
  deferred_loading: "mcp.deferred_loading",
  tool_timeout_secs: "mcp.tool_timeout_secs",
  "stdio.allow_writes": "stdio.writes",
};

function retention<const At extends string>(at: At, days: number, description: string) {
  return setting(wholeNumber(0, 36_500, "days"), {
    at,
    form: DAYS_OR_EVER,
    default: days,
    project: "never",
    description: `${description} 0: for ever.`,
  });
}
