import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { path } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { printable } from "../../../../lib/terminal/printable.ts";
import { fields, table } from "../../../../lib/terminal/table.ts";
import { describeLeftOut } from "../../../../lib/text/left-out.ts";
import type {
  NewServer,
  ServerAnswer,
  ServerFindings,
  ServerInput,
  ServerList,
  ServerOffers,
} from "../../../api/contract.ts";
import { destructive } from "../../input/destructive.ts";
import { addPastedServers, findPastedText } from "../../input/paste-servers.ts";
import {
  addSandboxOptions,
  formatSandbox,
  readSandboxOptions,
  type SandboxOptions,
} from "../../input/sandbox-options.ts";
import {
  addAuthOptions,
  addLifecycleOptions,
  addReachOptions,
  checkOptionsApply,
  chooseStartFolder,
  createRepeatableOption,
  readNamedValues,
  readServerOptions,
  type ServerOptions,
} from "../../input/server-options.ts";
import { formatAddedServer, formatToolNames, registerServer } from "../../print/register-server.ts";
import {
  formatFailure,
  formatFindings,
  formatOffers,
  formatReach,
  formatSignIn,
  formatState,
  formatStateName,
  formatTimeLimit,
  listUnusualSettings,
  shortenText,
  suggestNextStep,
} from "../../print/server-text.ts";
import type { Run, Shell } from "../../shell.ts";
import { serverAuthCommand } from "./server-auth.ts";
import { serverLogsCommand } from "./server-logs.ts";
import { serverTestCommand } from "./server-test.ts";
import { serverTrustCommands } from "./server-trust.ts";

const MAX_HINTS = 5;

export function serverCommand(shell: Shell): Command {
  const server = shell.group("server", "Manage the MCP servers behind Toolkeep");

  addServerOptions(
    server.leaf(
      "add [name] [command...]",
      "Register a server and list its tools",
      addServer,
      "fs -- npx -y @modelcontextprotocol/server-filesystem ~/documents",
      "github --env GITHUB_TOKEN -- npx -y @modelcontextprotocol/server-github",
      "docs --url https://example.com/mcp --header 'Authorization: Bearer …'",
      "--paste 'claude mcp add github -- npx -y @modelcontextprotocol/server-github'",
    ),
    {
      editing: false,
    },
  ).option(
    "--paste [text]",
    "Command, address or settings copied from a README; without text, reads standard input",
  );
  server.leaf("list", "List servers and their state", listServers);
  server.leaf("show <name>", "Show a server and its tools", showServer, "fs");
  serverTestCommand(server);
  server.leaf("approve <name>", "Approve a server that is waiting for approval", approveServer, "fs");
  server.leaf("enable <name>", "Enable a server", createToggle("enable", "Enabled"), "fs");
  server.leaf(
    "disable <name>",
    "Disable a server without removing it",
    createToggle("disable", "Disabled"),
    "fs",
  );
  serverAuthCommand(server);
  serverLogsCommand(server);
  serverTrustCommands(server);
  addServerOptions(
    server.leaf(
      "edit <name> [command...]",
      "Change a server; it reconnects at once",
      editServer,
      "fs --timeout 30s",
      "github --env GITHUB_TOKEN",
    ),
    { editing: true },
  );
  destructive(
    server,
    "remove <name>",
    "Remove a server; its tool names stay reserved",
    (name) => `Remove server ${name} and its stored settings?`,
    removeServer,
    "fs",
  );
  return server;
}

function addServerOptions(command: Command, { editing }: { editing: boolean }): Command {
  addReachOptions(command)
    .option("--trusted", "Trust hints that loosen checks (read-only, idempotent)")
    .option("--pin", "Hold back new and changed tools until you accept them")
    .option("--no-pin", "Accept new and changed tools at once");
  if (editing)
    command
      .option("--no-trusted", "Do not trust such hints")
      .addOption(createRepeatableOption("--unset-env <K>", "Remove a variable"))
      .addOption(createRepeatableOption("--unset-header <K>", "Remove a header"))
      .option("--rename <name>", "New name; the names of its tools stay")
      .option("--prefix <prefix>", "New prefix for the names of its tools");
  else command.option("--no-test", "Do not wait for its tools");
  addLifecycleOptions(command, { editing });
  addSandboxOptions(command);
  return addAuthOptions(command, { editing });
}

async function addServer(
  run: Run,
  name: string | undefined,
  command: string[],
  options: ServerOptions & SandboxOptions & { readonly test: boolean; readonly paste?: string | true },
): Promise<number> {
  const pasted = findPastedText(name, command, options);
  if (pasted !== undefined) {
    const { env = [], header = [] } = options;
    const more = {
      ...(await readServerOptions(run, [], options)),
      ...readSandbox(run, options, true),
      env: await readNamedValues(run, env, "--env"),
      headers: await readNamedValues(run, header, "--header"),
    };
    return await addPastedServers(run, pasted, more, options);
  }
  if (name === undefined)
    throw new ToolkeepError("BAD_USAGE", "the server needs a name; only --paste can do without one");
  if ((command.length === 0) === (options.url === undefined)) {
    throw new ToolkeepError("BAD_USAGE", "give either a command after -- or an address with --url");
  }
  const { env = [], header = [] } = options;
  checkOptionsApply(options, options.url === undefined);
  const body: NewServer = {
    name,
    wait: options.test,
    ...chooseStartFolder(run, command),
    ...(await readServerOptions(run, command, options)),
    ...readSandbox(run, options, options.url === undefined),
    ...(env.length > 0 && { env: await readNamedValues(run, env, "--env") }),
    ...(header.length > 0 && { headers: await readNamedValues(run, header, "--header") }),
  };
  const answer = await registerServer(run, body);
  run.print(answer, formatAddedServer(answer, options.test));
  return options.test && answer.server.lastError !== null ? 1 : 0;
}

/** Throws BAD_USAGE for a remote server: silently ignoring the sandbox would leave it unconfined. */
function readSandbox(run: Run, options: SandboxOptions, isLocal: boolean): Pick<ServerInput, "sandbox"> {
  const sandbox = readSandboxOptions(run, options);
  if (sandbox !== undefined && !isLocal)
    throw new ToolkeepError("BAD_USAGE", "--sandbox only works with a command, not with --url");
  return sandbox === undefined ? {} : { sandbox };
}

async function listServers(run: Run): Promise<undefined> {
  const { servers } = await run.get<ServerList>("/api/servers");
  const rows = servers.map((server) => [
    server.name,
    formatState(server),
    server.toolCount,
    server.source,
    formatReach(server),
  ]);
  run.print(
    { servers },
    rows.length === 0
      ? "No servers yet. Register one: toolkeep server add NAME -- COMMAND ARGS…\n"
      : `${table(["NAME", "STATE", "TOOLS", "SOURCE", "REACHED BY"], rows, run.terminal.columns)}${formatHints(servers)}`,
  );
}

/** Servers that need a person's attention. */
function formatHints(servers: ServerList["servers"]): string {
  return servers
    .flatMap((server) => {
      const next = suggestNextStep(server);
      return next === undefined ? [] : [`${server.name}: ${formatFailure(server)}${next}\n`];
    })
    .slice(0, MAX_HINTS)
    .join("");
}

async function showServer(run: Run, name: string): Promise<undefined> {
  const answer = await run.get<ServerAnswer>(path`/api/servers/${name}`);
  const { server, tools } = answer;
  const offers = await run.get<ServerOffers>(path`/api/servers/${name}/offers`);
  run.print(
    { ...answer, offers },
    `${fields([
      ["name", server.name],
      ["state", formatState(server)],
      ["failed", server.failedAt === null ? null : ago(server.failedAt, Date.now())],
      ["next step", suggestNextStep(server)],
      ["source", server.source],
      ["transport", server.transport],
      ["reached by", formatReach(server)],
      ["folder", server.cwd],
      ["env", server.envKeys.join(", ")],
      ["headers", server.headerKeys.join(", ")],
      ["secrets", server.secrets.join(", ")],
      ["signs in", formatSignIn(server)],
      ["certificate", server.tls && [server.tls.cert, server.tls.ca].filter(Boolean).join(", ")],
      ["sandbox", formatSandbox(server)],
      ["trusted", server.trusted],
      ["pinned", server.pinned],
      ["findings", formatFindings(await run.get<ServerFindings>(path`/api/servers/${name}/findings`))],
      ["left out", describeLeftOut(server.leftOut)],
      ["time limit", formatTimeLimit(server)],
      ...listUnusualSettings(server),
      ["protocol", server.era ? `${server.era.version} (${server.era.era})` : null],
      ["added by", server.addedBy],
      ["tools listed", ago(server.listedAt, Date.now())],
      ["also offers", formatOffers(offers)],
      ["instructions", shortenText(offers.instructions)],
      ["last error", server.lastError],
    ])}tools:\n${formatToolNames(tools)}`,
  );
}

function createToggle(
  verb: "enable" | "disable",
  done: string,
): (run: Run, name: string) => Promise<undefined> {
  return async (run, name) => {
    const answer = await run.send<ServerAnswer>("POST", `${path`/api/servers/${name}`}/${verb}`);
    const state = formatStateName(answer.server.state);
    run.print(
      answer,
      state === "disabled" && verb === "disable"
        ? `${done} ${name}.\n`
        : `${done} ${name}; it is now ${state}.\n`,
    );
    return undefined;
  };
}

/** Approves exactly what it shows: if an agent changes the server meanwhile, the daemon refuses. */
async function approveServer(run: Run, name: string): Promise<undefined> {
  const route = path`/api/servers/${name}`;
  const current = await run.get<ServerAnswer>(route);
  const { server } = current;
  if (server.state !== "pending_approval") {
    run.print(current, `${name} is not waiting for approval.\n`);
    return;
  }
  const answer = await run.send<ServerAnswer>("POST", `${route}/approve`, { changedAt: server.changedAt });
  run.print(
    answer,
    `Approved ${name}, reached by ${printable(formatReach(server))}; it is now ${formatStateName(answer.server.state)}.\n`,
  );
}

async function editServer(
  run: Run,
  name: string,
  command: string[],
  options: ServerOptions & SandboxOptions & EditOptions,
): Promise<undefined> {
  const body = {
    ...(await readServerOptions(run, command, options)),
    ...readSandbox(run, options, options.url === undefined),
    ...(await readEditedValues(run, name, command, options)),
    ...(options.oauth === false && { oauth: null }),
    ...(options.tls === false && { tls: null }),
    ...(options.rename !== undefined && { name: options.rename }),
    ...(options.prefix !== undefined && { prefix: options.prefix }),
  };
  if (Object.keys(body).length === 0)
    throw new ToolkeepError("BAD_USAGE", "nothing to change; give at least one option");
  const answer = await run.send<ServerAnswer>("PATCH", path`/api/servers/${name}`, body);
  run.print(answer, `Changed ${answer.server.name}. Test it: toolkeep server test ${answer.server.name}\n`);
}

interface EditOptions {
  readonly rename?: string;
  readonly prefix?: string;
  readonly oauth?: false;
  readonly tls?: false;
  readonly unsetEnv?: readonly string[];
  readonly unsetHeader?: readonly string[];
}

/** The API replaces env and headers as a whole. Keys that are not named here are sent blank, which keeps their stored values. */
async function readEditedValues(
  run: Run,
  name: string,
  command: readonly string[],
  options: ServerOptions & EditOptions,
): Promise<ServerInput> {
  const { env = [], header = [], unsetEnv = [], unsetHeader = [] } = options;
  const hasChanges = [env, header, unsetEnv, unsetHeader].some((given) => given.length > 0);
  if (!hasChanges) return {};
  const { server } = await run.get<ServerAnswer>(path`/api/servers/${name}`);
  const { url, transport = url ? "http" : command.length > 0 ? "stdio" : server.transport } = options;
  checkOptionsApply(options, transport === "stdio");
  checkKeysExist(unsetEnv, server.envKeys, `--unset-env: ${name} has no such variable`);
  checkKeysExist(unsetHeader, server.headerKeys, `--unset-header: ${name} has no such header`);
  const mergeKeys = (keys: readonly string[], unset: readonly string[], values: Record<string, string>) => {
    const kept = keys.filter((key) => !unset.includes(key)).map((key) => [key, ""]);
    return { ...Object.fromEntries(kept), ...values };
  };
  return {
    ...(env.length + unsetEnv.length > 0 && {
      env: mergeKeys(server.envKeys, unsetEnv, await readNamedValues(run, env, "--env")),
    }),
    ...(header.length + unsetHeader.length > 0 && {
      headers: mergeKeys(server.headerKeys, unsetHeader, await readNamedValues(run, header, "--header")),
    }),
  };
}

function checkKeysExist(unset: readonly string[], keys: readonly string[], problem: string): void {
  if (unset.every((key) => keys.includes(key))) return;
  const known = keys.length === 0 ? "it has none" : `it has ${keys.join(", ")}`;
  throw new ToolkeepError("BAD_REQUEST", `${problem}; ${known}`);
}

async function removeServer(run: Run, name: string): Promise<undefined> {
  run.print(await run.send<object>("DELETE", path`/api/servers/${name}`), `Removed ${name}.\n`);
}
