import { resolve } from "node:path";
import { Command, Option } from "commander";
import type {
  NewServer,
  ServerAnswer,
  ServerInput,
  ServerList,
  ServerView,
  TestReport,
} from "../../api/contract.ts";
import { printable } from "../../daemon/printable.ts";
import { ToolkeepError } from "../../errors.ts";
import { path } from "../api-client.ts";
import { readPairs } from "../arguments.ts";
import { counted } from "../counted.ts";
import { ago, parseDuration } from "../duration.ts";
import { remoteDaemon } from "../remote.ts";
import { collect, examples, leaf, type Run, type Shell } from "../shell.ts";
import { fields, table } from "../table.ts";

interface ServerOptions {
  readonly env: readonly string[];
  readonly header: readonly string[];
  readonly url?: string;
  readonly transport?: "stdio" | "http" | "sse";
  readonly cwd?: string;
  readonly timeout?: string;
  readonly trusted?: boolean;
}

export function serverCommand(shell: Shell): Command {
  const server = new Command("server").description("the MCP servers behind Toolkeep");

  examples(
    serverOptions(leaf(server, "add <name> [command...]", "register a server and list its tools"))
      .option("--trusted", "believe its hints that loosen (read-only, idempotent)")
      .option("--no-test", "do not wait for its tools")
      .action(shell.action(addServer)),
    "server add fs -- npx -y @modelcontextprotocol/server-filesystem ~/documents",
    "server add github --env GITHUB_TOKEN=… -- npx -y @modelcontextprotocol/server-github",
    "server add docs --url https://example.com/mcp --header Authorization='Bearer …'",
  );
  leaf(server, "list", "list the servers and their state", "server list").action(shell.action(listServers));
  leaf(server, "show <name>", "show a server and its tools", "server show fs").action(
    shell.action(showServer),
  );
  leaf(server, "test <name>", "connect anew and list the tools", "server test fs").action(
    shell.action(testServer),
  );
  leaf(
    server,
    "approve <name>",
    "let a server that waits for approval take part",
    "server approve fs",
  ).action(shell.action(change("approve", "Approved")));
  leaf(server, "enable <name>", "let a server take part again", "server enable fs").action(
    shell.action(change("enable", "Enabled")),
  );
  leaf(server, "disable <name>", "take a server out without forgetting it", "server disable fs").action(
    shell.action(change("disable", "Disabled")),
  );
  examples(
    serverOptions(
      leaf(
        server,
        "edit <name> [command...]",
        "change how a server is reached; it reconnects at the next call",
      ),
    )
      .option("--rename <name>", "another name; its tools keep theirs")
      .option("--trusted", "believe its hints that loosen")
      .option("--no-trusted", "do not believe them")
      .action(shell.action(editServer)),
    "server edit fs --timeout 30s",
    "server edit github --env GITHUB_TOKEN=…",
  );
  leaf(server, "remove <name>", "forget a server; its tool names stay taken", "server remove fs").action(
    shell.action(removeServer),
  );
  return server;
}

function serverOptions(command: Command): Command {
  return command
    .option("--env <K=V>", "environment variable for a local server, kept sealed (repeatable)", collect, [])
    .option("--header <K=V>", "header for a remote server, kept sealed (repeatable)", collect, [])
    .option("--url <url>", "address of a remote server")
    .addOption(
      new Option("--transport <kind>", "http when --url is given, else stdio").choices([
        "stdio",
        "http",
        "sse",
      ]),
    )
    .option("--cwd <folder>", "where a local server starts; here, when it is added")
    .option("--timeout <ms>", "time limit of one call, such as 30000 or 30s");
}

async function addServer(
  run: Run,
  name: string,
  command: string[],
  options: ServerOptions & { readonly test: boolean },
): Promise<number> {
  if ((command.length === 0) === (options.url === undefined)) {
    throw new ToolkeepError(
      "BAD_USAGE",
      "a server is a command after -- or an address with --url; give one of them",
    );
  }
  const body: NewServer = {
    name,
    wait: options.test,
    ...startFolder(run, command),
    ...serverInput(run, command, options),
  };
  const answer = await run.progress(
    `starting ${name} and asking for its tools`,
    run.send<ServerAnswer>("POST", "/api/servers", body),
  );
  run.print(answer, added(answer, options.test));
  return options.test && answer.server.lastError !== null ? 1 : 0;
}

function added({ server, tools }: ServerAnswer, tested: boolean): string {
  if (!tested) return `Registered ${server.name}. See its tools: toolkeep server show ${server.name}\n`;
  if (server.lastError !== null) {
    return `Registered ${server.name}, but it does not work yet:\n${indented(server.lastError)}\nCorrect it: toolkeep server edit ${server.name} …, then toolkeep server test ${server.name}\n`;
  }
  return `Registered ${server.name} with ${counted(tools.length, "tool")}:\n${list(tools)}Grant them: toolkeep agent edit AGENT --grant TOOL, or put them in a toolbox.\n`;
}

async function listServers(run: Run): Promise<undefined> {
  const { servers } = await run.get<ServerList>("/api/servers");
  const rows = servers.map((server) => [
    server.name,
    server.state,
    server.toolCount,
    server.source,
    reach(server),
  ]);
  run.print(
    { servers },
    rows.length === 0
      ? "No servers yet. Register one: toolkeep server add NAME -- COMMAND ARGS…\n"
      : table(["NAME", "STATE", "TOOLS", "SOURCE", "REACHED BY"], rows, run.terminal.columns),
  );
}

async function showServer(run: Run, name: string): Promise<undefined> {
  const answer = await run.get<ServerAnswer>(path`/api/servers/${name}`);
  const { server, tools } = answer;
  run.print(
    answer,
    `${fields([
      ["name", server.name],
      ["state", server.state],
      ["source", server.source],
      ["transport", server.transport],
      ["reached by", reach(server)],
      ["folder", server.cwd],
      ["env", server.envKeys.join(", ")],
      ["headers", server.headerKeys.join(", ")],
      ["trusted", server.trusted],
      ["time limit", `${server.timeoutMs / 1000} s`],
      ["protocol", server.era ? `${server.era.version} (${server.era.era})` : null],
      ["added by", server.addedBy],
      ["tools listed", ago(server.listedAt, Date.now())],
      ["last error", server.lastError],
    ])}tools:\n${list(tools)}`,
  );
}

async function testServer(run: Run, name: string): Promise<number> {
  const report = await run.progress(
    `testing ${name}`,
    run.send<TestReport>("POST", path`/api/servers/${name}/test`),
  );
  run.print(
    report,
    report.ok
      ? `${name} works: ${counted(report.tool_count, "tool")} in ${report.latency_ms} ms.\n`
      : `${name} does not work (after ${report.latency_ms} ms):\n${indented(report.error)}\n`,
  );
  return report.ok ? 0 : 1;
}

function change(
  verb: "approve" | "enable" | "disable",
  done: string,
): (run: Run, name: string) => Promise<undefined> {
  return async (run, name) => {
    const answer = await run.send<ServerAnswer>("POST", `${path`/api/servers/${name}`}/${verb}`);
    run.print(answer, `${done} ${name}; it is ${answer.server.state.replace("_", " ")} now.\n`);
    return undefined;
  };
}

async function editServer(
  run: Run,
  name: string,
  command: string[],
  options: ServerOptions & { readonly rename?: string },
): Promise<undefined> {
  const body = {
    ...serverInput(run, command, options),
    ...(options.rename === undefined ? {} : { name: options.rename }),
  };
  if (Object.keys(body).length === 0) throw new ToolkeepError("BAD_USAGE", "nothing to change was given");
  const answer = await run.send<ServerAnswer>("PATCH", path`/api/servers/${name}`, body);
  run.print(answer, `Changed ${answer.server.name}. Try it: toolkeep server test ${answer.server.name}\n`);
}

async function removeServer(run: Run, name: string): Promise<undefined> {
  run.print(await run.send<object>("DELETE", path`/api/servers/${name}`), `Removed ${name}.\n`);
}

/** Paths on a command line are meant from here, wherever the daemon was started; a daemon elsewhere has no such folder. */
function startFolder({ terminal }: Run, command: readonly string[]): ServerInput {
  return command.length === 0 || remoteDaemon(terminal.env) ? {} : { cwd: terminal.cwd };
}

/** Only what was typed. */
function serverInput(
  { terminal }: Run,
  [command, ...args]: readonly string[],
  options: ServerOptions,
): ServerInput {
  const transport =
    options.transport ?? (options.url === undefined ? (command === undefined ? undefined : "stdio") : "http");
  return {
    ...(transport === undefined ? {} : { transport }),
    ...(command === undefined ? {} : { command, args }),
    ...(options.url === undefined ? {} : { url: options.url }),
    ...(options.env.length === 0 ? {} : { env: readPairs(options.env, "--env") }),
    ...(options.header.length === 0 ? {} : { headers: readPairs(options.header, "--header") }),
    ...(options.cwd === undefined ? {} : { cwd: resolve(terminal.cwd, options.cwd) }),
    ...(options.timeout === undefined ? {} : { timeoutMs: parseDuration(options.timeout, "ms") }),
    ...(options.trusted === undefined ? {} : { trusted: options.trusted }),
  };
}

function reach(server: ServerView): string {
  return server.url ?? [server.command, ...server.args].join(" ");
}

function list(tools: readonly string[]): string {
  return tools.length === 0 ? "  none listed yet\n" : tools.map((tool) => `  ${tool}\n`).join("");
}

function indented(text: string): string {
  return printable(text)
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
