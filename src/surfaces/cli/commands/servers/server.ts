import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { path } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { printable } from "../../../../lib/terminal/printable.ts";
import { fields, table } from "../../../../lib/terminal/table.ts";
import { leftOutText } from "../../../../lib/text/left-out.ts";
import type {
  NewServer,
  ServerAnswer,
  ServerFindings,
  ServerInput,
  ServerList,
  ServerOffers,
} from "../../../api/contract.ts";
import { destructive } from "../../input/destructive.ts";
import { addPasted, pastedText } from "../../input/paste-servers.ts";
import {
  type SandboxOptions,
  sandboxInput,
  sandboxOptions,
  sandboxText,
} from "../../input/sandbox-options.ts";
import {
  authOptions,
  lifeOptions,
  mustApply,
  namedValues,
  reachOptions,
  repeatable,
  type ServerOptions,
  serverInput,
  startFolder,
} from "../../input/server-options.ts";
import { addedText, registerServer, toolNames } from "../../print/added-server.ts";
import {
  alsoOffers,
  beginning,
  failureText,
  lookAt,
  nextStep,
  reach,
  signIn,
  spoken,
  stateText,
  timeLimit,
  unusual,
} from "../../print/server-text.ts";
import type { Run, Shell } from "../../shell.ts";
import { serverAuthCommand } from "./server-auth.ts";
import { serverLogsCommand } from "./server-logs.ts";
import { serverTestCommand } from "./server-test.ts";
import { serverTrustCommands } from "./server-trust.ts";

const MOST_HINTS = 5;

export function serverCommand(shell: Shell): Command {
  const server = shell.group("server", "the MCP servers behind Toolkeep");

  withServerOptions(
    server.leaf(
      "add [name] [command...]",
      "register a server and list its tools",
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
    "what a README shows: a command, an address, settings; alone: reads it from standard input",
  );
  server.leaf("list", "list the servers and their state", listServers);
  server.leaf("show <name>", "show a server and its tools", showServer, "fs");
  serverTestCommand(server);
  server.leaf("approve <name>", "let a server that waits for approval take part", approveServer, "fs");
  server.leaf("enable <name>", "let a server take part again", change("enable", "Enabled"), "fs");
  server.leaf(
    "disable <name>",
    "take a server out without forgetting it",
    change("disable", "Disabled"),
    "fs",
  );
  serverAuthCommand(server);
  serverLogsCommand(server);
  serverTrustCommands(server);
  withServerOptions(
    server.leaf(
      "edit <name> [command...]",
      "change how a server is reached; it reconnects at once",
      editServer,
      "fs --timeout 30s",
      "github --env GITHUB_TOKEN",
    ),
    { editing: true },
  );
  destructive(
    server,
    "remove <name>",
    "forget a server; its tool names stay taken",
    (name) => `Remove server ${name} and what is stored for it?`,
    removeServer,
    "fs",
  );
  return server;
}

function withServerOptions(command: Command, { editing }: { editing: boolean }): Command {
  reachOptions(command)
    .option("--trusted", "believe its hints that loosen (read-only, idempotent)")
    .option("--pin", "new and changed tools wait until you accept them")
    .option("--no-pin", "they count at once");
  if (editing)
    command
      .option("--no-trusted", "do not believe them")
      .addOption(repeatable("--unset-env <K>", "take a variable out"))
      .addOption(repeatable("--unset-header <K>", "take a header out"))
      .option("--rename <name>", "another name; its tools keep theirs")
      .option("--prefix <prefix>", "another prefix for the names of its tools");
  else command.option("--no-test", "do not wait for its tools");
  lifeOptions(command, { editing });
  sandboxOptions(command);
  return authOptions(command, { editing });
}

async function addServer(
  run: Run,
  name: string | undefined,
  command: string[],
  options: ServerOptions & SandboxOptions & { readonly test: boolean; readonly paste?: string | true },
): Promise<number> {
  const pasted = pastedText(name, command, options);
  if (pasted !== undefined) {
    const { env = [], header = [] } = options;
    const more = {
      ...(await serverInput(run, [], options)),
      ...confining(run, options, true),
      env: await namedValues(run, env, "--env"),
      headers: await namedValues(run, header, "--header"),
    };
    return await addPasted(run, pasted, more, options);
  }
  if (name === undefined)
    throw new ToolkeepError("BAD_USAGE", "the server has no name; --paste takes one from what it reads");
  if ((command.length === 0) === (options.url === undefined)) {
    throw new ToolkeepError(
      "BAD_USAGE",
      "a server is a command after -- or an address with --url; give one of them",
    );
  }
  const { env = [], header = [] } = options;
  mustApply(options, options.url === undefined);
  const body: NewServer = {
    name,
    wait: options.test,
    ...startFolder(run, command),
    ...(await serverInput(run, command, options)),
    ...confining(run, options, options.url === undefined),
    ...(env.length > 0 && { env: await namedValues(run, env, "--env") }),
    ...(header.length > 0 && { headers: await namedValues(run, header, "--header") }),
  };
  const answer = await registerServer(run, body);
  run.print(answer, addedText(answer, options.test));
  return options.test && answer.server.lastError !== null ? 1 : 0;
}

/** What was asked for and cannot be had must not be left out silently. */
function confining(run: Run, options: SandboxOptions, isLocal: boolean): Pick<ServerInput, "sandbox"> {
  const sandbox = sandboxInput(run, options);
  if (sandbox !== undefined && !isLocal)
    throw new ToolkeepError("BAD_USAGE", "--sandbox is for servers that are a command, not for --url");
  return sandbox === undefined ? {} : { sandbox };
}

async function listServers(run: Run): Promise<undefined> {
  const { servers } = await run.get<ServerList>("/api/servers");
  const rows = servers.map((server) => [
    server.name,
    stateText(server),
    server.toolCount,
    server.source,
    reach(server),
  ]);
  run.print(
    { servers },
    rows.length === 0
      ? "No servers yet. Register one: toolkeep server add NAME -- COMMAND ARGS…\n"
      : `${table(["NAME", "STATE", "TOOLS", "SOURCE", "REACHED BY"], rows, run.terminal.columns)}${waiting(servers)}`,
  );
}

/** What waits for the person who looks. */
function waiting(servers: ServerList["servers"]): string {
  return servers
    .flatMap((server) => {
      const next = nextStep(server);
      return next === undefined ? [] : [`${server.name}: ${failureText(server)}${next}\n`];
    })
    .slice(0, MOST_HINTS)
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
      ["state", stateText(server)],
      ["failed", server.failedAt === null ? null : ago(server.failedAt, Date.now())],
      ["what to do", nextStep(server)],
      ["source", server.source],
      ["transport", server.transport],
      ["reached by", reach(server)],
      ["folder", server.cwd],
      ["env", server.envKeys.join(", ")],
      ["headers", server.headerKeys.join(", ")],
      ["secrets", server.secrets.join(", ")],
      ["signs in", signIn(server)],
      ["certificate", server.tls && [server.tls.cert, server.tls.ca].filter(Boolean).join(", ")],
      ["sandbox", sandboxText(server)],
      ["trusted", server.trusted],
      ["pinned", server.pinned],
      ["look at", lookAt(await run.get<ServerFindings>(path`/api/servers/${name}/findings`))],
      ["left out", leftOutText(server.leftOut)],
      ["time limit", timeLimit(server)],
      ...unusual(server),
      ["protocol", server.era ? `${server.era.version} (${server.era.era})` : null],
      ["added by", server.addedBy],
      ["tools listed", ago(server.listedAt, Date.now())],
      ["also offers", alsoOffers(offers)],
      ["instructions", beginning(offers.instructions)],
      ["last error", server.lastError],
    ])}tools:\n${toolNames(tools)}`,
  );
}

function change(verb: "enable" | "disable", done: string): (run: Run, name: string) => Promise<undefined> {
  return async (run, name) => {
    const answer = await run.send<ServerAnswer>("POST", `${path`/api/servers/${name}`}/${verb}`);
    const state = spoken(answer.server.state);
    run.print(
      answer,
      state === "disabled" && verb === "disable"
        ? `${done} ${name}.\n`
        : `${done} ${name}; it is ${state} now.\n`,
    );
    return undefined;
  };
}

/** Approves what it shows: a change that an agent makes meanwhile is refused. */
async function approveServer(run: Run, name: string): Promise<undefined> {
  const place = path`/api/servers/${name}`;
  const seen = await run.get<ServerAnswer>(place);
  const { server } = seen;
  if (server.state !== "pending_approval") {
    run.print(seen, `${name} does not wait for approval.\n`);
    return;
  }
  const answer = await run.send<ServerAnswer>("POST", `${place}/approve`, { changedAt: server.changedAt });
  run.print(
    answer,
    `Approved ${name}, reached by ${printable(reach(server))}; it is ${spoken(answer.server.state)} now.\n`,
  );
}

async function editServer(
  run: Run,
  name: string,
  command: string[],
  options: ServerOptions & SandboxOptions & EditOptions,
): Promise<undefined> {
  const body = {
    ...(await serverInput(run, command, options)),
    ...confining(run, options, options.url === undefined),
    ...(await editedValues(run, name, command, options)),
    ...(options.oauth === false && { oauth: null }),
    ...(options.tls === false && { tls: null }),
    ...(options.rename !== undefined && { name: options.rename }),
    ...(options.prefix !== undefined && { prefix: options.prefix }),
  };
  if (Object.keys(body).length === 0) throw new ToolkeepError("BAD_USAGE", "nothing to change was given");
  const answer = await run.send<ServerAnswer>("PATCH", path`/api/servers/${name}`, body);
  run.print(answer, `Changed ${answer.server.name}. Try it: toolkeep server test ${answer.server.name}\n`);
}

interface EditOptions {
  readonly rename?: string;
  readonly prefix?: string;
  readonly oauth?: false;
  readonly tls?: false;
  readonly unsetEnv?: readonly string[];
  readonly unsetHeader?: readonly string[];
}

/** The API takes env and headers whole; those that are not named here are sent blank, which keeps what is stored. */
async function editedValues(
  run: Run,
  name: string,
  command: readonly string[],
  options: ServerOptions & EditOptions,
): Promise<ServerInput> {
  const { env = [], header = [], unsetEnv = [], unsetHeader = [] } = options;
  const touches = [env, header, unsetEnv, unsetHeader].some((given) => given.length > 0);
  if (!touches) return {};
  const { server } = await run.get<ServerAnswer>(path`/api/servers/${name}`);
  const { url, transport = url ? "http" : command.length > 0 ? "stdio" : server.transport } = options;
  mustApply(options, transport === "stdio");
  mustBeThere(unsetEnv, server.envKeys, `--unset-env: ${name} has no such variable`);
  mustBeThere(unsetHeader, server.headerKeys, `--unset-header: ${name} has no such header`);
  const merged = (keys: readonly string[], unset: readonly string[], values: Record<string, string>) => {
    const kept = keys.filter((key) => !unset.includes(key)).map((key) => [key, ""]);
    return { ...Object.fromEntries(kept), ...values };
  };
  return {
    ...(env.length + unsetEnv.length > 0 && {
      env: merged(server.envKeys, unsetEnv, await namedValues(run, env, "--env")),
    }),
    ...(header.length + unsetHeader.length > 0 && {
      headers: merged(server.headerKeys, unsetHeader, await namedValues(run, header, "--header")),
    }),
  };
}

function mustBeThere(unset: readonly string[], keys: readonly string[], problem: string): void {
  if (unset.every((key) => keys.includes(key))) return;
  const known = keys.length === 0 ? "it has none" : `it has ${keys.join(", ")}`;
  throw new ToolkeepError("BAD_REQUEST", `${problem}; ${known}`);
}

async function removeServer(run: Run, name: string): Promise<undefined> {
  run.print(await run.send<object>("DELETE", path`/api/servers/${name}`), `Removed ${name}.\n`);
}
