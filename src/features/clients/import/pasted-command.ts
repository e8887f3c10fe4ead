import { isRecord } from "../../../lib/json.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { parseSettings } from "../../../machine/config/edit/settings-document.ts";
import { listCommands, splitCommand } from "./command-line.ts";
import { type NamedEntry, nameCommand, nameUrl } from "./pasted-name.ts";

const MAX_COMMANDS = 100;

/** Programs that start a server if a line begins with them. Any other first word could be ordinary text. */
const LAUNCHERS =
  /^(?:npx|bunx|bun|pnpm|pnpx|yarn|deno|node|uvx|uv|pipx|python3?|docker|podman|go|java|dotnet|~?\.{0,2}\/\S*)$/;
const CLIENT_COMMANDS = /^(?:claude|gemini|codex|code|code-insiders|codium|cursor|windsurf)$/;
const INSTALLERS =
  /^(?:(?:npm|pnpm|yarn|bun) (?:i|install|add|global)|(?:uv )?pip3? install|uv tool install|docker pull|brew install)\b/;
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;

/** Whether a text consists of command lines rather than settings. */
export function isCommandText(text: string): boolean {
  const [first = ""] = listCommands(text.slice(0, 30_000));
  const read = splitCommand(first);
  const words = read.ok ? read.value : first.slice(0, 2_000).split(/\s+/);
  const start = words.find((word) => !ASSIGNMENT.test(word)) ?? "";
  return LAUNCHERS.test(start) || CLIENT_COMMANDS.test(start) || INSTALLERS.test(words.join(" "));
}

/** The servers that command lines start or add to a client. */
export function parseCommands(text: string): Result<NamedEntry[], string> {
  const commands = listCommands(text);
  if (commands.length > MAX_COMMANDS) return err(`the text has more than ${MAX_COMMANDS} commands`);
  const servers: NamedEntry[] = [];
  for (const command of commands) {
    const words = splitCommand(command);
    if (!words.ok) return words;
    const server = parseCommand(words.value);
    if (!server.ok) return server;
    servers.push(server.value);
  }
  return ok(servers);
}

function parseCommand(words: readonly string[]): Result<NamedEntry, string> {
  const isProgram = (word: string) => !ASSIGNMENT.test(word);
  const at = words.findIndex(isProgram);
  const [program = "", ...rest] = at === -1 ? [] : words.slice(at);
  const env = parseVariables(words.slice(0, at === -1 ? words.length : at));
  const commandStart = [program, ...rest.slice(0, 2)].join(" ");
  if (INSTALLERS.test(commandStart))
    return err(`${commandStart} only installs a package; paste the command that starts the server`);
  if (CLIENT_COMMANDS.test(program)) return parseClientCommand(program, rest);
  if (!LAUNCHERS.test(program))
    return err(`expected a command that starts a server, got ${quoteBriefly(program)}`);
  return ok(createCommandEntry(program, rest, env));
}

/** `claude mcp add …`, `gemini mcp add …`, `codex mcp add …`, `code --add-mcp …`. */
function parseClientCommand(program: string, words: readonly string[]): Result<NamedEntry, string> {
  const flag = words.findIndex((word) => word === "--add-mcp" || word.startsWith("--add-mcp="));
  if (flag !== -1) {
    const json = words[flag]!.includes("=") ? words[flag]!.slice("--add-mcp=".length) : words[flag + 1];
    return parseEntry(json, undefined);
  }
  if (words[0] !== "mcp")
    return err(`expected ${program} mcp add …, got ${program} ${quoteBriefly(words[0] ?? "")}`);
  if (words[1] === "add-json") {
    const [name, json] = words.slice(2).filter((word, index, all) => !isScope(word, all[index - 1]));
    return parseEntry(json, name);
  }
  if (words[1] !== "add")
    return err(`expected ${program} mcp add …, got ${program} mcp ${quoteBriefly(words[1] ?? "")}`);
  return parseAddCommand(words.slice(2));
}

function isScope(word: string, before: string | undefined): boolean {
  return /^(?:-s|--scope)(?:=|$)/.test(word) || /^(?:-s|--scope)$/.test(before ?? "");
}

function parseEntry(json: string | undefined, name: string | undefined): Result<NamedEntry, string> {
  const parsed = parseSettings("pasted.json", json ?? "");
  if (!parsed.ok) return parsed;
  const addVariable = name ?? parsed.value.name;
  if (typeof addVariable !== "string" || !addVariable) return err("the server has no name");
  return ok({ name: addVariable, entry: parsed.value });
}

/** Options of the clients' `mcp add`, and what their value is used for. */
const ADD_OPTIONS: Readonly<
  Record<string, "env" | "header" | "transport" | "url" | "bearer" | "id" | "value" | "none">
> = {
  "-e": "env",
  "--env": "env",
  "-H": "header",
  "--header": "header",
  "-t": "transport",
  "--transport": "transport",
  "--type": "transport",
  "--url": "url",
  "--bearer-token-env-var": "bearer",
  "--client-id": "id",
  "-s": "value",
  "--scope": "value",
  "--timeout": "value",
  "--description": "value",
  "--callback-port": "value",
  "--include-tools": "value",
  "--exclude-tools": "value",
  "--client-secret": "none",
  "--trust": "none",
  "--debug": "none",
};
/** Options that take several values. */
const MORE_VALUES = { env: ASSIGNMENT, header: /^[!#$%&'*+.^_`|~\w-]+\s*:/ } as const;

function parseAddCommand(words: readonly string[]): Result<NamedEntry, string> {
  const positional: string[] = [];
  const values: Record<"env" | "header" | "transport" | "url" | "bearer" | "id", string[]> = {
    env: [],
    header: [],
    transport: [],
    url: [],
    bearer: [],
    id: [],
  };
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === "--") {
      positional.push(...words.slice(at + 1));
      break;
    }
    const [, flag = word, inline] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    const kind = word.startsWith("-") ? ADD_OPTIONS[flag] : undefined;
    // After the command, options belong to the command itself.
    if (kind === undefined && word.startsWith("-") && positional.length < 2)
      return err(`unknown option ${quoteBriefly(flag)}`);
    if (kind === undefined) positional.push(word);
    if (kind === undefined || kind === "none") continue;
    const value = inline ?? words[++at];
    if (value === undefined) return err(`the option ${quoteBriefly(flag)} has no value`);
    if (kind === "value") continue;
    values[kind].push(value);
    if (kind === "env" || kind === "header")
      while (MORE_VALUES[kind].test(words[at + 1] ?? "")) values[kind].push(words[++at]!);
  }
  return createAddedEntry(positional, values);
}

function createAddedEntry(
  [name, target, ...args]: readonly string[],
  values: Readonly<Record<"env" | "header" | "transport" | "url" | "bearer" | "id", readonly string[]>>,
): Result<NamedEntry, string> {
  if (!name) return err("the server has no name");
  const wrong = values.env.find((pair) => !ASSIGNMENT.test(pair));
  if (wrong !== undefined) return err("the option --env must be NAME=VALUE");
  const transport = values.transport[0]?.toLowerCase();
  const url = values.url[0] ?? (isUrl(target) ? target : undefined);
  if (url === undefined) {
    if (transport === "http" || transport === "sse")
      return err(`expected an address, got ${quoteBriefly(target ?? "")}`);
    if (!target) return err("the server has neither a command nor an address");
    const { entry } = createCommandEntry(target, args, parseVariables(values.env));
    return ok({ name, entry });
  }
  const [bearer] = values.bearer;
  const [clientId] = values.id;
  return ok({
    name,
    entry: {
      ...(transport === undefined ? {} : { type: transport }),
      url,
      headers: parseHeaders(values.header),
      ...(bearer === undefined ? {} : { bearer_token_env_var: bearer }),
      ...(clientId === undefined ? {} : { oauth: { clientId } }),
    },
  });
}

function createCommandEntry(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): NamedEntry {
  const container =
    /^(?:docker|podman)$/.test(command) && args[0] === "run" ? extractContainerEnv(args) : undefined;
  const all = { ...container?.env, ...env };
  return {
    name: nameCommand(command, args),
    entry: { command, args: container?.args ?? args, ...(Object.keys(all).length > 0 && { env: all }) },
  };
}

/** Options of `docker run` before the image that take a value. */
const WITH_VALUE =
  /^(?:-[vpwumlh]|--(?:volume|publish|name|network|net|workdir|mount|env-file|entrypoint|user|platform|add-host|pull|memory|cpus|label|hostname))$/;

/**
 * Moves the variables of a container from its arguments, which everybody on the machine can read, to the variables of the
 * server, which are stored encrypted. A variable without a value is passed on from the caller's environment.
 */
function extractContainerEnv(args: readonly string[]): { args: string[]; env: Record<string, string> } {
  const env: Record<string, string> = {};
  const serverName = (pair: string) => {
    const [, name = pair, value] = ASSIGNMENT.exec(pair) ?? [];
    if (/^[A-Za-z_]\w*$/.test(name)) env[name] = value ?? `\${${name}}`;
    return name;
  };
  const kept: string[] = [];
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at]!;
    if (at > 0 && !word.startsWith("-")) break;
    kept.push(word.startsWith("--env=") ? `--env=${serverName(word.slice("--env=".length))}` : word);
    const value = args[at + 1];
    if (value === undefined) continue;
    if (word === "-e" || word === "--env") kept.push(serverName(value));
    else if (WITH_VALUE.test(word)) kept.push(value);
    else continue;
    at++;
  }
  return { args: [...kept, ...args.slice(at)], env };
}

function parseVariables(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name = "", value = ""] = ASSIGNMENT.exec(pair) ?? [];
      return [name, value];
    }),
  );
}

function parseHeaders(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name = pair.trim(), value = ""] = /^([^:=]+?)\s*[:=]\s*(.*)$/s.exec(pair) ?? [];
      return [name, value];
    }),
  );
}

/** The server at an address, or the server that an install link contains. */
export function parseUrl(text: string): Result<NamedEntry, string> {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return err("the address is not a valid URL");
  }
  const isInstallLink = /\/(?:mcp\/install|install-mcp)\/?$/.test(url.pathname);
  if (!isInstallLink) return ok({ name: nameUrl(url), entry: { url: text } });
  const config = url.searchParams.get("config") ?? "";
  const json = config.trimStart().startsWith("{") ? config : Buffer.from(config, "base64").toString("utf8");
  const name = url.searchParams.get("name") ?? undefined;
  const entry = parseEntry(json, name);
  return entry.ok && !isRecord(entry.value.entry) ? err("the link contains no server") : entry;
}

export function isUrl(text: string | undefined): text is string {
  return text !== undefined && /^https?:\/\/\S+$/i.test(text);
}

/** Shows only the start of long texts, since pasted text may be a secret. */
function quoteBriefly(text: string): string {
  return JSON.stringify(text.length > 24 ? `${text.slice(0, 12)}…` : text);
}
