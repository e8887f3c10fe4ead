/** The options that say how a server is reached and how it lives, and what the API is told of them. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import type { ServerInput } from "../api/contract.ts";
import { messageOf, ToolkeepError } from "../errors.ts";
import { parseDuration } from "./duration.ts";
import { remoteDaemon } from "./remote.ts";
import { readSecret } from "./secret-input.ts";
import { collect, type Run } from "./shell.ts";

export interface ServerOptions {
  readonly env: readonly string[];
  readonly header: readonly string[];
  readonly url?: string;
  readonly transport?: "stdio" | "http" | "sse";
  readonly cwd?: string;
  readonly trusted?: boolean;
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
  readonly oauthScope: readonly string[];
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsCa?: string;
}

export function reachOptions(command: Command): Command {
  return command
    .option("--env <K=V>", "variable for a local server, kept sealed; K alone: as it is here", collect, [])
    .option("--header <K=V>", "header for a remote server, kept sealed; K alone: asked for", collect, [])
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
    .option("--oauth-scope <scope>", "what to ask for (repeatable)", collect, [])
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
  const { url, trusted, connect, keepAlive, retry, progressExtendsTimeout } = options;
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
    maxConcurrency: options.maxConcurrency && wholeNumber(options.maxConcurrency, "--max-concurrency"),
    trusted,
    oauth: Object.keys(oauth).length === 0 ? undefined : oauth,
    tls: Object.keys(tls).length === 0 ? undefined : tls,
  }) as ServerInput;
}

/** `K=V`, or `K` alone: its value in this shell (a variable only), else asked for, so that no history has it. */
export async function namedValues(
  run: Run,
  pairs: readonly string[],
  what: "--env" | "--header",
): Promise<Record<string, string>> {
  const values: [string, string][] = [];
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at === 0) throw new ToolkeepError("BAD_USAGE", `${what} is KEY=VALUE, or KEY alone; got no key`);
    const key = at === -1 ? pair : pair.slice(0, at);
    const here = what === "--env" ? run.terminal.env[key] : undefined;
    values.push([key, at === -1 ? (here ?? (await readSecret(run, `${what} ${key}`))) : pair.slice(at + 1)]);
  }
  return Object.fromEntries(values);
}

/** Paths on a command line are meant from here, wherever the daemon was started; elsewhere there is no such folder. */
function pathHere({ terminal }: Run, path: string): string {
  return remoteDaemon(terminal.env) ? path : resolve(terminal.cwd, path);
}

async function oauthInput(run: Run, options: ServerOptions): Promise<NonNullable<ServerInput["oauth"]>> {
  const { oauthClientSecret: secret, oauthPrivateKey: keyFile, oauthScope: scopes } = options;
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

function wholeNumber(text: string, what: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new ToolkeepError("BAD_USAGE", `${what} is a whole number; got ${JSON.stringify(text)}`);
  return Number(text);
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
