import { isRecord } from "../../../lib/json.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { OAuthConfig, ServerConfig } from "../../../machine/config/settings.ts";
import type { Dialect } from "../client.ts";

/** A server as a client's settings describe it: references to variables still stand in its texts. */
export interface WrittenServer {
  readonly transport: ServerConfig["transport"];
  readonly command: string | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A file with more variables. */
  readonly envFile: string | null;
  /** Variables it gets with the value they have for the client, where they have one. */
  readonly handedOn: readonly string[];
  readonly cwd: string | null;
  readonly url: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers with a variable's value, written as `Bearer ${NAME}` whatever the client's way to write it is. */
  readonly variableHeaders: Readonly<Record<string, string>>;
  readonly oauth: Partial<OAuthConfig> | null;
  readonly enabled: boolean;
  readonly timeoutMs: number | null;
  readonly connectTimeoutMs: number | null;
  /** What is different here from what the client does with it. */
  readonly notes: readonly string[];
}

/**
 * The keys of all clients together: none of them means two things, except `timeout`. An error is the reason why there
 * is nothing to connect to.
 */
export function readWritten(value: unknown, dialect: Dialect): Result<WrittenServer, string> {
  if (!isRecord(value)) return err("expected an object that describes a server");
  const entry = new Entry(value);
  const kind = entry.text("type") ?? entry.text("transport");
  const url = entry.text("url") ?? entry.text("serverUrl") ?? entry.text("httpUrl");
  const [command, ...leading] = entry.words("command");
  const transport = transportOf(kind, { command, url, isStreaming: entry.text("httpUrl") !== undefined });
  if (!transport.ok) return transport;

  const isLocal = transport.value === "stdio";
  const bearer = entry.text("bearer_token_env_var");
  const written = {
    transport: transport.value,
    command: isLocal ? (command ?? null) : null,
    args: isLocal ? [...leading, ...entry.words("args")] : [],
    env: isLocal ? { ...entry.texts("env"), ...entry.texts("environment") } : {},
    envFile: isLocal ? (entry.text("envFile") ?? null) : null,
    handedOn: isLocal ? entry.names("env_vars") : [],
    cwd: isLocal ? (entry.text("cwd") ?? null) : null,
    url: isLocal ? null : (url ?? null),
    headers: isLocal ? {} : { ...entry.texts("headers"), ...entry.texts("http_headers") },
    variableHeaders: isLocal
      ? {}
      : {
          ...(bearer ? { Authorization: `Bearer \${${bearer}}` } : {}),
          ...mapValues(entry.texts("env_http_headers"), (name) => `\${${name}}`),
        },
    oauth: isLocal ? null : oauthOf(entry),
    enabled: entry.flag("enabled") !== false && entry.flag("disabled") !== true,
    timeoutMs: entry.limit("tool_timeout_sec", 1000) ?? callTimeout(entry, dialect),
    connectTimeoutMs: entry.limit("startup_timeout_sec", 1000) ?? entry.limit("startup_timeout_ms", 1),
  };
  return ok({ ...written, notes: entry.notes() });
}

const LOCAL = new Set(["stdio", "local"]);
const STREAMING = new Set(["http", "streamable-http", "streamablehttp", "streamable_http", "remote"]);

function transportOf(
  kind: string | undefined,
  {
    command,
    url,
    isStreaming,
  }: { command: string | undefined; url: string | undefined; isStreaming: boolean },
): Result<ServerConfig["transport"], string> {
  const said = kind?.toLowerCase();
  if (said !== undefined && !LOCAL.has(said) && !STREAMING.has(said) && said !== "sse")
    return err(`servers of type ${JSON.stringify(kind!.slice(0, 40))} are not supported`);
  if (command && !(said && !LOCAL.has(said))) return ok("stdio");
  if (!url) return err("it has neither a command nor a url");
  if (said === "sse") return ok("sse");
  // Clients that are not told try both; the address tells which of them will do.
  const looksOld = (said === undefined || said === "remote") && !isStreaming && /\/sse\/?([?#]|$)/.test(url);
  return ok(looksOld ? "sse" : "http");
}

function callTimeout(entry: Entry, { timeout }: Dialect): number | null {
  return timeout === "call" ? entry.limit("timeout", 1) : null;
}

/** Whatever a client calls the parts: `client_id`, `clientId`, `CLIENT_ID`. */
function oauthOf(entry: Entry): Partial<OAuthConfig> | null {
  const given = { ...entry.record("auth"), ...entry.record("oauth") };
  const scopes = entry.words("scopes");
  const part = (name: string) => {
    const found = Object.entries(given).find(
      ([key]) => key.toLowerCase().replaceAll("_", "") === name && typeof given[key] === "string",
    );
    return found?.[1] as string | undefined;
  };
  const listed = Object.entries(given).find(([key, value]) => key === "scopes" && Array.isArray(value))?.[1];
  const scope = part("scope") ?? ([...scopes, ...((listed as unknown[]) ?? [])].join(" ") || undefined);
  const [clientId, clientSecret] = [part("clientid"), part("clientsecret")];
  if (!clientId && !scope) return null;
  return {
    ...(clientId ? { clientId } : {}),
    ...(clientId && clientSecret ? { clientSecret } : {}),
    ...(scope ? { scope } : {}),
  };
}

/** Known to mean nothing to Toolkeep, so that nobody needs to be told. */
const SILENT = ["name", "title", "description", "icon", "gallery", "version", "$schema", "instructions"];
const MAX_TIMEOUT_MS = 600_000;
const MAX_NOTED_KEYS = 20;

/** Reads keys and remembers which, so that the others can be told. */
class Entry {
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #read = new Set(SILENT);
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

  /** A list of texts, or one text. */
  words(key: string): string[] {
    const value = this.#take(key);
    if (typeof value === "string") return value === "" ? [] : [value];
    return Array.isArray(value) ? value.filter(isScalar).map(String) : [];
  }

  /** A list of names, some of them inside an object. */
  names(key: string): string[] {
    const value = this.#take(key);
    if (!Array.isArray(value)) return [];
    return value
      .map((item) => (isRecord(item) ? item.name : item))
      .filter((name) => typeof name === "string");
  }

  /** An object of texts; numbers and yes or no are texts too. */
  texts(key: string): Record<string, string> {
    const value = this.#take(key);
    if (!isRecord(value)) return {};
    const fitting = Object.entries(value).filter(([, item]) => isScalar(item));
    for (const [name, item] of Object.entries(value))
      if (!isScalar(item) && item !== null) this.#wrong.push(`${key}.${name}`);
    return Object.fromEntries(fitting.map(([name, item]) => [name, String(item)]));
  }

  /** A time in units of `ms`, as milliseconds; null where there is none that Toolkeep could keep. */
  limit(key: string, ms: number): number | null {
    const value = this.#take(key);
    if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) return null;
    return Math.min(Math.max(Math.round(value * ms), 1), MAX_TIMEOUT_MS);
  }

  notes(): string[] {
    const ignored = Object.keys(this.#value).filter((key) => !this.#read.has(key));
    const keys = [...ignored, ...this.#wrong].slice(0, MAX_NOTED_KEYS).map((key) => key.slice(0, 80));
    return keys.length === 0 ? [] : [`not taken over: ${keys.join(", ")}`];
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
