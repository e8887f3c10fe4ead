/** The options of servers: adding them to commands, and reading them into the API's input. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { messageOf, ToolkeepError } from "../../../contract/errors.ts";
import type { ServerInput } from "../../api/contract.ts";
import { readRemoteDaemon } from "../client/remote.ts";
import { parseDuration } from "../print/duration.ts";
import type { Run } from "../shell.ts";
import { readSecret } from "./secret-input.ts";

export interface ServerOptions {
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly url?: string;
  readonly transport?: "stdio" | "http" | "sse";
  readonly cwd?: string;
  readonly trusted?: boolean;
  readonly pin?: boolean;
  readonly timeout?: string;
  readonly progressExtendsTimeout?: boolean;
  readonly connectTimeout?: string;
  readonly connect?: "lazy" | "eager";
  readonly keepAlive?: boolean;
  readonly retry?: "safe" | "never" | "once";
  readonly maxConcurrency?: string;
  readonly oauthGrant?: "authorization_code" | "client_credentials";
  readonly oauthClientId?: string;
  /** True: ask for it. */
  readonly oauthClientSecret?: string | true;
  readonly oauthPrivateKey?: string;
  readonly oauthMetadataUrl?: string;
  readonly oauthScope?: readonly string[];
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsCa?: string;
}

export function addReachOptions(command: Command): Command {
  return command
    .addOption(
      createRepeatableOption(
        "--env <K=V>",
        "Variable for a local server, stored encrypted; K alone takes the value from your environment",
      ),
    )
    .addOption(
      createRepeatableOption(
        "--header <K=V>",
        "Header for a remote server, stored encrypted; K alone asks for the value",
      ),
    )
    .option("--url <url>", "Address of a remote server")
    .addOption(
      createChoiceOption("--transport <kind>", "Transport (default: http with --url, otherwise stdio)", [
        "stdio",
        "http",
        "sse",
      ]),
    )
    .option("--cwd <folder>", "Working directory of a local server (default when adding: this folder)");
}

/** Only `server edit` gets the options that undo others; `server add` has nothing to undo. */
export function addLifecycleOptions(command: Command, { editing }: { editing: boolean }): Command {
  command
    .optionsGroup("Timeouts and lifecycle:")
    .option("--timeout <ms>", "Time limit of a call, such as 30000 or 30s")
    .option(
      "--progress-extends-timeout",
      "Restart the time limit at each progress update, up to 600 s in total",
    )
    .option("--connect-timeout <ms>", "Time limit for connecting and listing tools")
    .addOption(
      createChoiceOption("--connect <when>", "Connect on the first call (lazy) or at start (eager)", [
        "lazy",
        "eager",
      ]),
    )
    .option("--keep-alive", "Keep the server running when it is idle")
    .addOption(
      createChoiceOption("--retry <when>", "Calls to retry if the server dies during one", [
        "safe",
        "never",
        "once",
      ]),
    )
    .option("--max-concurrency <n>", "Maximum number of concurrent calls");
  if (editing)
    command
      .option("--no-progress-extends-timeout", "Do not extend the time limit on progress")
      .option("--no-keep-alive", "Stop the server when it is idle");
  return command;
}

export function addAuthOptions(command: Command, { editing }: { editing: boolean }): Command {
  command
    .optionsGroup("Signing in to a remote server:")
    .addOption(
      createChoiceOption("--oauth-grant <kind>", "Who signs in: a person, or Toolkeep itself", [
        "authorization_code",
        "client_credentials",
      ]),
    )
    .option("--oauth-client-id <id>", "Id of an already registered client")
    .option(
      "--oauth-client-secret [secret]",
      "Secret of the client; asks if left out, - reads standard input, @FILE a file",
    )
    .option("--oauth-private-key <file>", "PEM file of the client's private key, instead of a secret")
    .option("--oauth-metadata-url <url>", "HTTPS address of the client's metadata document")
    .addOption(createRepeatableOption("--oauth-scope <scope>", "Scope to request"))
    .option("--tls-cert <file>", "PEM file of the client certificate")
    .option("--tls-key <file>", "PEM file of its key")
    .option("--tls-ca <file>", "PEM file of the trusted authorities");
  if (editing)
    command.option("--no-oauth", "Remove all OAuth options").option("--no-tls", "Remove all TLS options");
  return command;
}

/** Only the options that were given, without env and headers, which `readNamedValues` reads. */
export async function readServerOptions(
  run: Run,
  [command, ...args]: readonly string[],
  options: ServerOptions,
): Promise<ServerInput> {
  const { url, trusted, pin, connect, keepAlive, retry, progressExtendsTimeout } = options;
  const transport =
    options.transport ?? (url === undefined ? (command === undefined ? undefined : "stdio") : "http");
  const [oauth, tls] = [await readOAuthOptions(run, options), readTlsOptions(run, options)];
  return dropUndefined({
    transport,
    ...(command === undefined ? {} : { command, args }),
    url,
    cwd: options.cwd && resolveHere(run, options.cwd),
    timeoutMs: options.timeout && parseDuration(options.timeout, "ms"),
    progressExtendsTimeout,
    connectTimeoutMs: options.connectTimeout && parseDuration(options.connectTimeout, "ms"),
    connect,
    keepAlive,
    retry,
    maxConcurrency:
      options.maxConcurrency && parseWholeNumber(options.maxConcurrency, "--max-concurrency", 1, 1_000),
    trusted,
    pin,
    oauth: Object.keys(oauth).length === 0 ? undefined : oauth,
    tls: Object.keys(tls).length === 0 ? undefined : tls,
  }) as ServerInput;
}

/**
 * Reads `K=V`, for a header also `K: V`, or `K` alone. The value of `K` alone comes from this shell (variables only) or
 * from asking, so that it stays out of the shell's history. Messages show only names, since malformed input may be a secret.
 */
export async function readNamedValues(
  run: Run,
  pairs: readonly string[],
  what: "--env" | "--header",
): Promise<Record<string, string>> {
  const values: [string, string][] = [];
  for (const pair of pairs) {
    const { key, value } = what === "--env" ? parseVariable(pair) : parseHeader(pair);
    const here = what === "--env" ? run.terminal.env[key] : undefined;
    const label = key.length > MAX_LABEL_LENGTH ? `one ${what}` : `${what} ${key}`;
    values.push([key, value ?? here ?? (await readSecret(run, label))]);
  }
  return Object.fromEntries(values);
}

interface NamedValue {
  readonly key: string;
  /** Undefined if only the name was given. */
  readonly value: string | undefined;
}

const MAX_LABEL_LENGTH = 64;

function parseVariable(pair: string): NamedValue {
  const [, key, value] = /^([^=\s]+)=(.*)$/s.exec(pair) ?? /^([A-Za-z_][\w.-]*)$/.exec(pair) ?? [];
  if (key !== undefined) return { key, value };
  throw new ToolkeepError(
    "BAD_USAGE",
    "--env must be NAME=VALUE or NAME: expected a variable name without spaces",
  );
}

function parseHeader(pair: string): NamedValue {
  const [, key, value] = /^([!#$%&'*+.^_`|~\w-]+)(?:=|[ \t]*:[ \t]*|$)(.*)$/s.exec(pair) ?? [];
  if (key !== undefined) return { key, value: key === pair ? undefined : value };
  throw new ToolkeepError(
    "BAD_USAGE",
    "--header must be 'NAME: VALUE', NAME=VALUE or NAME: expected a header name without spaces",
  );
}

/** Resolves a path against this folder, not the daemon's. A remote daemon does not have this folder, so the path stays as it is. */
export function resolveHere({ terminal }: Run, path: string): string {
  return readRemoteDaemon(terminal.env) ? path : resolve(terminal.cwd, path);
}

async function readOAuthOptions(
  run: Run,
  options: ServerOptions,
): Promise<NonNullable<ServerInput["oauth"]>> {
  const { oauthClientSecret: secret, oauthPrivateKey: keyFile, oauthScope: scopes = [] } = options;
  return dropUndefined({
    grant: options.oauthGrant,
    clientId: options.oauthClientId,
    clientSecret: secret && (await readSecret(run, "--oauth-client-secret", secret)),
    privateKey: keyFile && (await readPem(resolve(run.terminal.cwd, keyFile))),
    clientMetadataUrl: options.oauthMetadataUrl,
    scope: scopes.length === 0 ? undefined : scopes.join(" "),
  });
}

function readTlsOptions(
  run: Run,
  { tlsCert, tlsKey, tlsCa }: ServerOptions,
): NonNullable<ServerInput["tls"]> {
  return dropUndefined({
    cert: tlsCert && resolveHere(run, tlsCert),
    key: tlsKey && resolveHere(run, tlsKey),
    ca: tlsCa && resolveHere(run, tlsCa),
  });
}

async function readPem(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: unknown) => {
    throw new ToolkeepError("BAD_USAGE", `the private key cannot be read: ${messageOf(error)}`);
  });
}

/** Throws BAD_USAGE. */
export function parseWholeNumber(text: string, what: string, min: number, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new ToolkeepError(
    "BAD_USAGE",
    `${what} must be a whole number from ${min} to ${max}; got ${JSON.stringify(text)}`,
  );
}

/** An option without a default, which the help would show as an empty list. */
export function createRepeatableOption(flags: string, description: string): Option {
  return new Option(flags, `${description} (repeatable)`).argParser<readonly string[]>(
    (value, before = []) => [...before, value],
  );
}

function createChoiceOption(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values);
}

function dropUndefined<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

/** Throws BAD_USAGE for --env or --header on a server of the wrong kind, which the daemon would silently ignore. */
export function checkOptionsApply({ env = [], header = [] }: ServerOptions, isLocal: boolean): void {
  if (isLocal && header.length > 0)
    throw new ToolkeepError("BAD_USAGE", "--header only works with --url; use --env for a command");
  if (!isLocal && env.length > 0)
    throw new ToolkeepError("BAD_USAGE", "--env only works with a command; use --header with --url");
}

/** A local command starts in this folder, not the daemon's. A remote daemon does not have this folder. */
export function chooseStartFolder({ terminal }: Run, command: readonly string[]): ServerInput {
  return command.length === 0 || readRemoteDaemon(terminal.env) ? {} : { cwd: terminal.cwd };
}
