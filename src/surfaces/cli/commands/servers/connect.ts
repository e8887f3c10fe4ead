import type { Command } from "commander";
import { messageOf, ToolkeepError } from "../../../../contract/errors.ts";
import type { Access, Client, ClientFile, HostContext, Scope } from "../../../../features/clients/client.ts";
import type { Connection, WriteResult } from "../../../../features/clients/connect-client.ts";
import { systemClock } from "../../../../lib/clock.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { printable } from "../../../../lib/terminal/printable.ts";
import { fields, table } from "../../../../lib/terminal/table.ts";
import { ownBin } from "../../../../machine/process/own-package.ts";
import type { AgentAnswer, TokenList } from "../../../api/contract.ts";
import { findDaemon } from "../../../daemon/daemon-file.ts";
import {
  CLIENT_SCOPES,
  checkToolboxes,
  createClientToken,
  EXTERNAL_TOOLS,
  findClientAgent,
  formatTokenLabel,
  grantRights,
  hasDefaultRights,
  revokeTokens,
} from "../../client/client-agent.ts";
import {
  type DuplicateServers,
  findDuplicateServers,
  type MoveResult,
  moveServers,
  restoreMovedServers,
} from "../../client/client-servers.ts";
import { readRemoteDaemon } from "../../client/remote.ts";
import { findHome } from "../../home.ts";
import { confirmUnlessYes } from "../../input/destructive.ts";
import { getOwnEndpoint } from "../../own-endpoint.ts";
import { getToolCounts } from "../../print/tool-counts.ts";
import type { Run, Shell } from "../../shell.ts";

interface ConnectOptions {
  readonly project?: boolean;
  readonly tools?: readonly string[];
  readonly move?: boolean;
  readonly print?: boolean;
  readonly undo?: boolean;
  readonly yes?: boolean;
}

/** The files to write and their contents, decided before anything is written. */
interface ConnectPlan {
  readonly client: Client;
  readonly scope: Scope;
  readonly host: HostContext;
  readonly target: ClientFile;
  readonly url: string;
  readonly label: string;
  /** The folder whose settings are written; null for the user's. */
  readonly project: string | null;
}

export function connectCommand(shell: Shell): Command {
  return shell
    .single(
      "connect",
      "Connect an MCP client to Toolkeep",
      "Add Toolkeep to the settings of claude-code, claude-desktop, cursor, vscode, windsurf, codex, gemini or opencode, after a backup. The client gets its own agent and a token for every external tool, but not for files and commands. Without a name, lists the clients on this machine.",
      connect,
      "",
      "claude-code",
      "cursor --project --tools reading",
      "claude-code --undo",
    )
    .argument("[client]", "Client to connect; lists the clients if left out")
    .option("--project", "Use the project settings in this folder, if the client supports them")
    .option("--tools <toolboxes...>", "Give its agent these toolboxes instead of every external tool")
    .option("--move", "Remove servers from the client that Toolkeep also has")
    .option("--print", "Print the settings to add by hand and write nothing")
    .option("--undo", "Remove Toolkeep from the client and revoke its token")
    .option("--yes", "With --undo: skip the confirmation");
}

async function connect(run: Run, name: string | undefined, options: ConnectOptions): Promise<undefined> {
  checkClientNamed(name, options);
  const { getHostContext } = await import("../../../../features/clients/client.ts");
  const host = getHostContext(run.terminal.env, run.terminal.cwd);
  const url = await getOwnEndpoint(run);
  if (name === undefined) return listClients(run, host, url);

  const { findClient } = await import("../../../../features/clients/clients.ts");
  const { findTargetFile } = await import("../../../../features/clients/connect-client.ts");
  const client = findClient(name);
  const scope = options.project ? "project" : "user";
  const target = await findTargetFile(client, host, scope);
  const project = options.project ? host.cwd : null;
  const label = formatTokenLabel(client, project);
  const plan: ConnectPlan = { client, scope, host, target, url, label, project };
  if (options.undo) {
    await confirmUnlessYes(run, options, `Remove Toolkeep from ${client.title} and revoke its token?`);
    return undoConnection(run, plan);
  }
  if (options.print) return printSnippet(run, plan);
  return writeConnection(run, plan, options);
}

async function writeConnection(run: Run, plan: ConnectPlan, options: ConnectOptions): Promise<undefined> {
  const { client, target, url, host } = plan;
  const { checkTarget, connectClient } = await import("../../../../features/clients/connect-client.ts");
  checkAddress(url);
  await checkToolboxes(run, options.tools ?? []);
  const deps = { host, clock: systemClock, ownUrl: url };
  // Check before creating an agent that would be useless.
  await checkTarget(client, target, await buildAccess(run, url, "TOKEN"), deps);

  const clientAgent = await findClientAgent(run, client, plan.project, options.tools !== undefined);
  const agent = await grantRights(run, clientAgent, options.tools);
  const keepsRights = clientAgent.exists && options.tools === undefined && !hasDefaultRights(agent.agent);
  const { token, record } = await createClientToken(run, clientAgent.name, plan.label);
  let written: WriteResult;
  try {
    written = await connectClient(client, target, await buildAccess(run, url, token), deps);
  } catch (error) {
    await run.send("DELETE", `/api/tokens/${record.id}`);
    throw error;
  }
  await revokeTokens(run, client, plan.label, record.id);

  const duplicates = await findDuplicateServers(run, client, { ...plan, ...deps });
  const none: MoveResult = { moved: [], kept: [] };
  const move = options.move ? await moveServers(run, duplicates, client, deps) : none;
  const toolCounts = await getToolCounts(run, agent.agent.name);
  run.print(
    {
      client: client.id,
      ...written,
      agent: agent.agent.name,
      url,
      also: duplicates.registered.map((server) => server.name),
      moved: move.moved,
      notMoved: move.kept,
      notRegistered: duplicates.others,
    },
    printable(
      formatConnected(plan, written, { ...agent, keepsRights, listed: toolCounts }, duplicates, move),
    ) + (await getDaemonHint(run)),
  );
}

async function undoConnection(run: Run, plan: ConnectPlan): Promise<undefined> {
  const { client, target, url, label, project } = plan;
  const { disconnectClient } = await import("../../../../features/clients/connect-client.ts");
  const removal = await disconnectClient(client, target, { ownUrl: url });
  const removals = removal ? [removal, ...(await restoreMovedServers(client, plan))] : [];
  const { name: agent } = await findClientAgent(run, client, project, false);
  const revoked = await revokeTokens(run, client, label);
  const restored = removals.flatMap((one) => one.restored);
  const stayOut = removals.flatMap((one) => one.stayOut);
  const file = removal
    ? `Removed Toolkeep from ${target.path}${removal.removedFile ? ", and the file, which was empty otherwise" : ""}.`
    : `${target.path} does not contain Toolkeep.`;
  const token = revoked === 0 ? "It had no token." : `Revoked ${counted(revoked, "token")}.`;
  const lines = [
    file,
    ...(restored.length === 0 ? [] : [`Restored: ${restored.join(", ")}.`]),
    ...stayOut.map(
      ({ names, backup }) => `Not restored: ${names.join(", ")}; they are in the backup ${backup}`,
    ),
    ...(removal || revoked > 0 ? [`${token} The agent ${agent} and the backups stay.`] : []),
    ...(removal ? [`Restart ${client.title} if it is running.`] : []),
  ];
  run.print(
    { client: client.id, file: target.path, removed: removal !== undefined, revoked, restored, stayOut },
    printable(lines.map((line) => `${line}\n`).join("")),
  );
}

async function printSnippet(run: Run, { client, target, url, project }: ConnectPlan): Promise<undefined> {
  const { withSetting } = await import("../../../../machine/config/edit/edit-settings.ts");
  const { OWN_NAME } = await import("../../../../features/clients/own-entry.ts");
  const entry = client.entry(await buildAccess(run, url, "TOKEN"));
  const snippet = withSetting(target.path, "", [...client.container({}), OWN_NAME], entry);
  const text = snippet.ok ? snippet.value : "";
  const { name: agent, exists } = await findClientAgent(run, client, project, false);
  const scopes = CLIENT_SCOPES.map((scope) => `--scope ${scope}`).join(" ");
  const create = exists ? "" : `  toolkeep agent create ${agent} --grant '${EXTERNAL_TOOLS}'\n`;
  run.print(
    { client: client.id, file: target.path, entry },
    `Add to ${target.path}:\n\n${text.replace(/^(?=.)/gm, "  ")}\nReplace TOKEN with a token of an agent:\n\n${create}  toolkeep token create --agent ${agent} ${scopes}\n`,
  );
}

async function listClients(run: Run, host: HostContext, ownUrl: string): Promise<undefined> {
  const { CLIENTS } = await import("../../../../features/clients/clients.ts");
  const { readConnection, isInstalled, findTargetFile } = await import(
    "../../../../features/clients/connect-client.ts"
  );
  const { tokens } = await run.get<TokenList>("/api/tokens");
  const clients = await Promise.all(
    CLIENTS.map(async (client) => {
      const target = await findTargetFile(client, host, "user");
      const { connected, problem } = await readConnection(client, target, { ownUrl }).then(
        (connection) => ({ connected: describeConnection(connection, tokens), problem: null }),
        (error: unknown) => ({ connected: "unknown, see below", problem: messageOf(error) }),
      );
      return {
        client: client.id,
        found: await isInstalled(client, host),
        connected,
        file: target.path,
        problem,
      };
    }),
  );
  const rows = clients.map(({ client, found, connected, file }) => [client, found, connected, file]);
  const problems = clients.flatMap(({ problem }) => (problem === null ? [] : [`  ${printable(problem)}\n`]));
  const below = problems.length === 0 ? "" : `\nCould not be read:\n${problems.join("")}`;
  run.print(
    { clients },
    `${table(["CLIENT", "FOUND", "CONNECTED", "SETTINGS"], rows, run.terminal.columns)}${below}\nConnect one: toolkeep connect CLIENT\n`,
  );
}

function describeConnection({ state, token }: Connection, tokens: TokenList["tokens"]): string {
  if (state !== "connected") return state === "absent" ? "no" : "no, another server uses the name";
  if (!token) return "yes";
  const known = tokens.filter((one) => one.agent && token.endsWith(one.hint));
  if (known.length === 0) return "yes, but its token is unknown";
  const isOver = known.every(({ expiresAt }) => expiresAt !== null && expiresAt <= systemClock());
  return isOver ? "yes, but its token has expired" : "yes";
}

async function buildAccess({ terminal }: Run, url: string, token: string): Promise<Access> {
  const remote = readRemoteDaemon(terminal.env);
  const where = remote ? { TOOLKEEP_URL: remote.url } : { TOOLKEEP_HOME: await findHome(terminal) };
  return {
    url,
    token,
    command: process.execPath,
    args: [ownBin(), "stdio"],
    env: { ...where, TOOLKEEP_TOKEN: token },
  };
}

function formatConnected(
  { client }: ConnectPlan,
  written: WriteResult,
  {
    agent,
    unknown,
    unmatched,
    keepsRights,
    listed,
  }: AgentAnswer & { readonly keepsRights: boolean; readonly listed: string },
  { registered, others }: DuplicateServers,
  { moved, kept }: MoveResult,
): string {
  const unmatchedGrants = [...unknown, ...unmatched];
  const isHandled = (name: string) => moved.includes(name) || kept.some((server) => server.name === name);
  const stillDouble = registered.map((server) => server.name).filter((name) => !isHandled(name));
  const rights = [...agent.toolboxes.map((toolbox) => `toolbox ${toolbox}`), ...agent.grants].join(", ");
  const notes = [
    client.next,
    `Its agent ${agent.name} has ${counted(agent.toolCount, "tool")}: ${listed}.`,
    ...(keepsRights ? [`Its agent ${agent.name} keeps its rights: ${rights || "none"}.`] : []),
    ...(unmatchedGrants.length === 0
      ? []
      : [
          `${unmatchedGrants.join(", ")} ${unmatchedGrants.length === 1 ? "matches" : "match"} no tools yet.`,
        ]),
    ...(moved.length === 0
      ? []
      : [`Removed from ${client.title}, since Toolkeep has them: ${moved.join(", ")}.`]),
    ...kept.map(
      ({ name, reason }) =>
        `Kept in ${client.title}, since Toolkeep cannot run it: ${name} (${reason}). Once it works: toolkeep connect ${client.id} --move`,
    ),
    ...(stillDouble.length === 0
      ? []
      : [
          `${client.title} also has these servers itself, so their tools appear twice: ${stillDouble.join(", ")}. Remove them: toolkeep connect ${client.id} --move`,
        ]),
    ...(others.length === 0
      ? []
      : [`Not in Toolkeep yet: ${others.join(", ")}. Import them: toolkeep import --client ${client.id}`]),
    ...formatTokenNotes(written),
  ];
  return `Connected ${client.title} to Toolkeep.\n${fields([
    ["settings", written.file],
    ["backup", written.backup],
    ["agent", agent.name],
    ["may call", rights],
  ])}${notes.map((note) => `${note}\n`).join("")}`;
}

/** Warns if others may be able to read the token. */
function formatTokenNotes({ file, linkedTo, mode, created }: WriteResult): string[] {
  const isOpen = !created && (mode & 0o044) !== 0;
  return [
    ...(isOpen
      ? [`Other users of this machine can read ${file}, which now contains a token: chmod 600 ${file}`]
      : []),
    ...(linkedTo === null ? [] : [`${file} is a symbolic link; the token is in ${linkedTo}`]),
  ];
}

async function getDaemonHint({ terminal }: Run): Promise<string> {
  if (readRemoteDaemon(terminal.env)) return "";
  const daemon = await findDaemon(await findHome(terminal), terminal.signal);
  return daemon
    ? ""
    : "No daemon is running. Start it: toolkeep serve, or at every login: toolkeep service install\n";
}

/** Throws BAD_USAGE for options without a client: listing the clients takes none. */
function checkClientNamed(name: string | undefined, options: ConnectOptions): void {
  const option = CLIENT_OPTIONS.find((option) => options[option] !== undefined);
  if (name !== undefined || option === undefined) return;
  throw new ToolkeepError(
    "BAD_USAGE",
    `--${option} needs a client, as in toolkeep connect cursor --${option}`,
  );
}

const CLIENT_OPTIONS = ["project", "tools", "move", "print", "undo"] as const;

function checkAddress(url: string): void {
  if (new URL(url).port !== "0") return;
  throw new ToolkeepError(
    "BAD_USAGE",
    "the daemon uses a new port at every start (port 0), so clients cannot find it; set a fixed port",
  );
}
