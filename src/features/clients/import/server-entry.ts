import { isRecord } from "../../../lib/json.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { OAuthConfig, ServerConfig } from "../../../machine/config/settings.ts";
import type { Dialect } from "../client.ts";

/** A server as a client's settings describe it, with references to variables not yet expanded. */
export interface ServerEntry {
  readonly transport: ServerConfig["transport"];
  readonly command: string | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A file with additional variables. */
  readonly envFile: string | null;
  /** Variables passed on from the client's environment, if they are set there. */
  readonly passedVariables: readonly string[];
  readonly cwd: string | null;
  readonly url: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers with a variable's value, written as `Bearer ${NAME}` whatever the client's syntax is. */
  readonly variableHeaders: Readonly<Record<string, string>>;
  readonly oauth: Partial<OAuthConfig> | null;
  readonly enabled: boolean;
  readonly timeoutMs: number | null;
  readonly connectTimeoutMs: number | null;
  /** Differences between Toolkeep and the client. */
  readonly notes: readonly string[];
}

/**
 * Reads the keys of all clients: each has one meaning, except `timeout`. The error says why there is nothing to connect
 * to.
 */
export function parseServerEntry(value: unknown, dialect: Dialect): Result<ServerEntry, string> {
  if (!isRecord(value)) return err("the entry must be an object");
  const entry = new EntryReader(value);
  const kind = entry.text("type") ?? entry.text("transport");
  const url = entry.text("url") ?? entry.text("serverUrl") ?? entry.text("httpUrl");
  const [command, ...leading] = entry.words("command");
  const transport = chooseTransport(kind, { command, url, isStreaming: entry.text("httpUrl") !== undefined });
  if (!transport.ok) return transport;

  const isLocal = transport.value === "stdio";
  const bearer = entry.text("bearer_token_env_var");
  const parsed = {
    transport: transport.value,
    command: isLocal ? (command ?? null) : null,
    args: isLocal ? [...leading, ...entry.words("args")] : [],
    env: isLocal ? { ...entry.texts("env"), ...entry.texts("environment") } : {},
    envFile: isLocal ? (entry.text("envFile") ?? null) : null,
    passedVariables: isLocal ? entry.names("env_vars") : [],
    cwd: isLocal ? (entry.text("cwd") ?? null) : null,
    url: isLocal ? null : (url ?? null),
    headers: isLocal ? {} : { ...entry.texts("headers"), ...entry.texts("http_headers") },
    variableHeaders: isLocal
      ? {}
      : {
          ...(bearer ? { Authorization: `Bearer \${${bearer}}` } : {}),
          ...mapValues(entry.texts("env_http_headers"), (name) => `\${${name}}`),
        },
    oauth: isLocal ? null : parseOAuth(entry),
    enabled: entry.flag("enabled") !== false && entry.flag("disabled") !== true,
    timeoutMs: entry.limit("tool_timeout_sec", 1000) ?? readCallTimeout(entry, dialect),
    connectTimeoutMs: entry.limit("startup_timeout_sec", 1000) ?? entry.limit("startup_timeout_ms", 1),
  };
  return ok({ ...parsed, notes: entry.notes() });
}

const LOCAL = new Set(["stdio", "local"]);
const STREAMING = new Set(["http", "streamable-http", "streamablehttp", "streamable_http", "remote"]);

function chooseTransport(
  kind: string | undefined,
  {
    command,
    url,
    isStreaming,
  }: { command: string | undefined; url: string | undefined; isStreaming: boolean },
): Result<ServerConfig["transport"], string> {
  const type = kind?.toLowerCase();
  if (type !== undefined && !LOCAL.has(type) && !STREAMING.has(type) && type !== "sse")
    return err(`servers of type ${JSON.stringify(kind!.slice(0, 40))} are not supported`);
  if (command && !(type && !LOCAL.has(type))) return ok("stdio");
  if (!url) return err("the entry has neither a command nor a url");
  if (type === "sse") return ok("sse");
  // Clients try both transports if the type is missing; here the address decides.
  const isLegacy = (type === undefined || type === "remote") && !isStreaming && /\/sse\/?([?#]|$)/.test(url);
  return ok(isLegacy ? "sse" : "http");
}

function readCallTimeout(entry: EntryReader, { timeout }: Dialect): number | null {
  return timeout === "call" ? entry.limit("timeout", 1) : null;
}

/** Accepts the spellings of all clients: `client_id`, `clientId`, `CLIENT_ID`. */
function parseOAuth(entry: EntryReader): Partial<OAuthConfig> | null {
  const settings = { ...entry.record("auth"), ...entry.record("oauth") };
  const scopes = entry.words("scopes");
  const part = (name: string) => {
    const match = Object.entries(settings).find(
      ([key]) => key.toLowerCase().replaceAll("_", "") === name && typeof settings[key] === "string",
    );
    return match?.[1] as string | undefined;
  };
  const scopeList = Object.entries(settings).find(
    ([key, value]) => key === "scopes" && Array.isArray(value),
  )?.[1];
  const scope = part("scope") ?? ([...scopes, ...((scopeList as unknown[]) ?? [])].join(" ") || undefined);
  const [clientId, clientSecret] = [part("clientid"), part("clientsecret")];
  if (!clientId && !scope) return null;
  return {
    ...(clientId ? { clientId } : {}),
    ...(clientId && clientSecret ? { clientSecret } : {}),
    ...(scope ? { scope } : {}),
  };
}

/** Keys without a meaning for Toolkeep, which are ignored without a note. */
const IGNORED_KEYS = [
  "name",
  "title",
  "description",
  "icon",
  "gallery",
  "version",
  "$schema",
  "instructions",
];
const MAX_TIMEOUT_MS = 600_000;
const MAX_NOTED_KEYS = 20;

/** Reads keys and remembers them, so that the others can be reported. */
class EntryReader {
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #read = new Set(IGNORED_KEYS);
  readonly #wrong: string[] = [];

  constructor(value: Readonly<Record<string, unknown>>) {
    this.#value = value;
  }

  text(key: string): string | undefined {
    const value = this.#take(key);
    return typeof value === "string" && value.trim() !== "" ? value : undefined;
  }

  flag(key: string): boolean | undefined {
    const value = this.#take(key);
    return typeof value === "boolean" ? value : undefined;
  }

  record(key: string): Readonly<Record<string, unknown>> {
    const value = this.#take(key);
    return isRecord(value) ? value : {};
  }

  /** A list of strings, or one string. */
  words(key: string): string[] {
    const value = this.#take(key);
    if (typeof value === "string") return value === "" ? [] : [value];
    return Array.isArray(value) ? value.filter(isScalar).map(String) : [];
  }

  /** A list of names, or of objects with a name. */
  names(key: string): string[] {
    const value = this.#take(key);
    if (!Array.isArray(value)) return [];
    return value
      .map((item) => (isRecord(item) ? item.name : item))
      .filter((name) => typeof name === "string");
  }

  /** An object of strings. Numbers and booleans are converted. */
  texts(key: string): Record<string, string> {
    const value = this.#take(key);
    if (!isRecord(value)) return {};
    const fitting = Object.entries(value).filter(([, item]) => isScalar(item));
    for (const [name, item] of Object.entries(value))
      if (!isScalar(item) && item !== null) this.#wrong.push(`${key}.${name}`);
    return Object.fromEntries(fitting.map(([name, item]) => [name, String(item)]));
  }

  /** A time in units of `ms`, in milliseconds; null if it is missing or invalid. */
  limit(key: string, ms: number): number | null {
    const value = this.#take(key);
    if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) return null;
    return Math.min(Math.max(Math.round(value * ms), 1), MAX_TIMEOUT_MS);
  }

  notes(): string[] {
    const ignored = Object.keys(this.#value).filter((key) => !this.#read.has(key));
    const keys = [...ignored, ...this.#wrong].slice(0, MAX_NOTED_KEYS).map((key) => key.slice(0, 80));
    return keys.length === 0 ? [] : [`ignored keys: ${keys.join(", ")}`];
  }

  #take(key: string): unknown {
    this.#read.add(key);
    return Object.hasOwn(this.#value, key) ? this.#value[key] : undefined;
  }
}

function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function mapValues(
  texts: Readonly<Record<string, string>>,
  change: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, change(text)]));
}
