/** The options that say how a server is reached and how it lives, and what the API is told of them. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { messageOf, ToolkeepError } from "../../../contract/errors.ts";
import type { ServerInput } from "../../api/contract.ts";
import { remoteDaemon } from "../client/remote.ts";
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
  /** True: to be asked for. */
  readonly oauthClientSecret?: string | true;
  readonly oauthPrivateKey?: string;
  readonly oauthMetadataUrl?: string;
  readonly oauthScope?: readonly string[];
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsCa?: string;
}

export function reachOptions(command: Command): Command {
  return command
    .addOption(repeatable("--env <K=V>", "variable for a local server, kept sealed; K alone: as it is here"))
    .addOption(repeatable("--header <K=V>", "header for a remote server, kept sealed; K alone: asked for"))
    .option("--url <url>", "address of a remote server")
    .addOption(choice("--transport <kind>", "http when --url is given, else stdio", ["stdio", "http", "sse"]))
    .option("--cwd <folder>", "where a local server starts; here, when it is added");
}

/** Each option can be taken back when a server is edited; when it is added there is nothing to take back. */
export function lifeOptions(command: Command, { editing }: { editing: boolean }): Command {
  command
    .optionsGroup("Time and life:")
    .option("--timeout <ms>", "time limit of one call, such as 30000 or 30s")
    .option("--progress-extends-timeout", "each progress update gives a call its time again, 600 s at most")
    .option("--connect-timeout <ms>", "time limit of connecting and listing the tools")
    .addOption(choice("--connect <when>", "with the first call, or at the start", ["lazy", "eager"]))
    .option("--keep-alive", "never stop it for want of calls")
    .addOption(
      choice("--retry <when>", "what to repeat when it dies during a call", ["safe", "never", "once"]),
    )
    .option("--max-concurrency <n>", "how many calls it gets at the same time");
  if (editing)
    command
      .option("--no-progress-extends-timeout", "the time limit holds whatever it says")
      .option("--no-keep-alive", "stop it when it is not called");
  return command;
}

export function authOptions(command: Command, { editing }: { editing: boolean }): Command {
  command
    .optionsGroup("Signing in to a remote server:")
    .addOption(
      choice("--oauth-grant <kind>", "who signs in: a person, or nobody", [
        "authorization_code",
        "client_credentials",
      ]),
    )
    .option("--oauth-client-id <id>", "a client that was registered beforehand")
    .option("--oauth-client-secret [secret]", "its secret; asked for when left out; - reads it, @FILE too")
    .option("--oauth-private-key <file>", "instead of a secret, the PEM file of its key")
    .option("--oauth-metadata-url <url>", "https address of a document that describes the client")
    .addOption(repeatable("--oauth-scope <scope>", "what to ask for"))
    .option("--tls-cert <file>", "PEM file of a client certificate")
    .option("--tls-key <file>", "PEM file of its key")
    .option("--tls-ca <file>", "PEM file of the authorities to believe");
  if (editing)
    command
      .option("--no-oauth", "forget all of the oauth options")
      .option("--no-tls", "forget all of the tls options");
  return command;
}

/** Only what was typed, but env and headers, which `namedValues` reads. */
export async function serverInput(
  run: Run,
  [command, ...args]: readonly string[],
  options: ServerOptions,
): Promise<ServerInput> {
  const { url, trusted, pin, connect, keepAlive, retry, progressExtendsTimeout } = options;
  const transport =
    options.transport ?? (url === undefined ? (command === undefined ? undefined : "stdio") : "http");
  const [oauth, tls] = [await oauthInput(run, options), tlsInput(run, options)];
  return given({
    transport,
    ...(command === undefined ? {} : { command, args }),
    url,
    cwd: options.cwd && pathHere(run, options.cwd),
    timeoutMs: options.timeout && parseDuration(options.timeout, "ms"),
    progressExtendsTimeout,
    connectTimeoutMs: options.connectTimeout && parseDuration(options.connectTimeout, "ms"),
    connect,
    keepAlive,
    retry,
    maxConcurrency:
      options.maxConcurrency && wholeNumber(options.maxConcurrency, "--max-concurrency", 1, 1_000),
    trusted,
    pin,
    oauth: Object.keys(oauth).length === 0 ? undefined : oauth,
    tls: Object.keys(tls).length === 0 ? undefined : tls,
  }) as ServerInput;
}

/**
 * `K=V`, for a header `K: V` too, or `K` alone: its value in this shell (a variable only), else asked for, so that no
 * history has it. Messages show at most a name: what is none may be a secret.
 */
export async function namedValues(
  run: Run,
  pairs: readonly string[],
  what: "--env" | "--header",
): Promise<Record<string, string>> {
  const values: [string, string][] = [];
  for (const pair of pairs) {
    const { key, value } = what === "--env" ? variable(pair) : header(pair);
    const here = what === "--env" ? run.terminal.env[key] : undefined;
    const label = key.length > LONGEST_SHOWN ? `one ${what}` : `${what} ${key}`;
    values.push([key, value ?? here ?? (await readSecret(run, label))]);
  }
  return Object.fromEntries(values);
}

interface Named {
  readonly key: string;
  /** Undefined where the name stands alone. */
  readonly value: string | undefined;
}

const LONGEST_SHOWN = 64;

function variable(pair: string): Named {
  const [, key, value] = /^([^=\s]+)=(.*)$/s.exec(pair) ?? /^([A-Za-z_][\w.-]*)$/.exec(pair) ?? [];
  if (key !== undefined) return { key, value };
  throw new ToolkeepError(
    "BAD_USAGE",
    "--env is NAME=VALUE, or NAME alone: expected a variable name, without spaces",
  );
}

function header(pair: string): Named {
  const [, key, value] = /^([!#$%&'*+.^_`|~\w-]+)(?:=|[ \t]*:[ \t]*|$)(.*)$/s.exec(pair) ?? [];
  if (key !== undefined) return { key, value: key === pair ? undefined : value };
  throw new ToolkeepError(
    "BAD_USAGE",
    "--header is 'NAME: VALUE', NAME=VALUE, or NAME alone: expected a header name, without spaces",
  );
}

/** Paths on a command line are meant from here, wherever the daemon was started; elsewhere there is no such folder. */
export function pathHere({ terminal }: Run, path: string): string {
  return remoteDaemon(terminal.env) ? path : resolve(terminal.cwd, path);
}

async function oauthInput(run: Run, options: ServerOptions): Promise<NonNullable<ServerInput["oauth"]>> {
  const { oauthClientSecret: secret, oauthPrivateKey: keyFile, oauthScope: scopes = [] } = options;
  return given({
    grant: options.oauthGrant,
    clientId: options.oauthClientId,
    clientSecret: secret && (await readSecret(run, "--oauth-client-secret", secret)),
    privateKey: keyFile && (await readPem(resolve(run.terminal.cwd, keyFile))),
    clientMetadataUrl: options.oauthMetadataUrl,
    scope: scopes.length === 0 ? undefined : scopes.join(" "),
  });
}

function tlsInput(run: Run, { tlsCert, tlsKey, tlsCa }: ServerOptions): NonNullable<ServerInput["tls"]> {
  return given({
    cert: tlsCert && pathHere(run, tlsCert),
    key: tlsKey && pathHere(run, tlsKey),
    ca: tlsCa && pathHere(run, tlsCa),
  });
}

async function readPem(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: unknown) => {
    throw new ToolkeepError("BAD_USAGE", `the private key cannot be read: ${messageOf(error)}`);
  });
}

/** Throws BAD_USAGE. */
export function wholeNumber(text: string, what: string, min: number, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new ToolkeepError(
    "BAD_USAGE",
    `${what} is a whole number from ${min} to ${max}; got ${JSON.stringify(text)}`,
  );
}

/** Without a default, which the help would show as an empty list. */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, `${description} (repeatable)`).argParser<readonly string[]>(
    (value, before = []) => [...before, value],
  );
}

function choice(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values);
}

/** Without what is not set. */
function given<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

/** The daemon leaves out what does not apply; a person who typed it meant something. */
export function mustApply({ env = [], header = [] }: ServerOptions, isLocal: boolean): void {
  if (isLocal && header.length > 0)
    throw new ToolkeepError("BAD_USAGE", "--header is for servers with --url; a command takes --env");
  if (!isLocal && env.length > 0)
    throw new ToolkeepError("BAD_USAGE", "--env is for servers that are a command; --url takes --header");
}

/** A command is meant from here, wherever the daemon was started; a daemon elsewhere has no such folder. */
export function startFolder({ terminal }: Run, command: readonly string[]): ServerInput {
  return command.length === 0 || remoteDaemon(terminal.env) ? {} : { cwd: terminal.cwd };
}
