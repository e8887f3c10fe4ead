import type { Command } from "commander";
import { messageOf, ToolkeepError } from "../../../../contract/errors.ts";
import type { Access, Client, ClientFile, Place, Scope } from "../../../../features/clients/client.ts";
import type { Connection, Written } from "../../../../features/clients/connect-client.ts";
import { systemClock } from "../../../../lib/clock.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { printable } from "../../../../lib/terminal/printable.ts";
import { fields, table } from "../../../../lib/terminal/table.ts";
import { ownBin } from "../../../../machine/process/own-package.ts";
import type { AgentAnswer, TokenList } from "../../../api/contract.ts";
import { findDaemon } from "../../../daemon/daemon-file.ts";
import {
  agentFor,
  CLIENT_SCOPES,
  checkToolboxes,
  EXTERNAL_TOOLS,
  giveRights,
  hasUsualRights,
  newClientToken,
  revokeTokens,
  tokenLabel,
} from "../../client/client-agent.ts";
import {
  type DoubleServers,
  doubleServers,
  type Moved,
  moveServers,
  restoreMoved,
} from "../../client/client-servers.ts";
import { remoteDaemon } from "../../client/remote.ts";
import { homeHere } from "../../home.ts";
import { mustConfirm } from "../../input/destructive.ts";
import { ownEndpoint } from "../../own-endpoint.ts";
import { listedOf } from "../../print/listed-text.ts";
import type { Run, Shell } from "../../shell.ts";

interface ConnectOptions {
  readonly project?: boolean;
  readonly tools?: readonly string[];
  readonly move?: boolean;
  readonly print?: boolean;
  readonly undo?: boolean;
  readonly yes?: boolean;
}

/** Everything that is known before anything is written. */
interface Plan {
  readonly client: Client;
  readonly scope: Scope;
  readonly place: Place;
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
      "point an MCP client at Toolkeep",
      "Writes Toolkeep into the settings of claude-code, claude-desktop, cursor, vscode, windsurf, codex, gemini or opencode, after a backup. The client gets an agent of its own name and a token for every external tool, without those for files and commands. Without a name it lists the clients on this machine.",
      connect,
      "",
      "claude-code",
      "cursor --project --tools reading",
      "claude-code --undo",
    )
    .argument("[client]", "the client; without it, which there are")
    .option("--project", "the settings of the project in this folder, where the client has such")
    .option("--tools <toolboxes...>", "give its agent these toolboxes, instead of every external tool")
    .option("--move", "take servers out of the client that Toolkeep has too")
    .option("--print", "show what to add by hand, write nothing")
    .option("--undo", "take Toolkeep out of the client again and end its token")
    .option("--yes", "with --undo: do not ask");
}

async function connect(run: Run, name: string | undefined, options: ConnectOptions): Promise<undefined> {
  checkNamed(name, options);
  const { placeHere } = await import("../../../../features/clients/client.ts");
  const place = placeHere(run.terminal.env, run.terminal.cwd);
  const url = await ownEndpoint(run);
  if (name === undefined) return listClients(run, place, url);

  const { clientNamed } = await import("../../../../features/clients/clients.ts");
  const { targetFile } = await import("../../../../features/clients/connect-client.ts");
  const client = clientNamed(name);
  const scope = options.project ? "project" : "user";
  const target = await targetFile(client, place, scope);
  const project = options.project ? place.cwd : null;
  const label = tokenLabel(client, project);
  const plan: Plan = { client, scope, place, target, url, label, project };
  if (options.undo) {
    await mustConfirm(run, options, `Take Toolkeep out of ${client.title} and end its token?`);
    return undo(run, plan);
  }
  if (options.print) return printSnippet(run, plan);
  return write(run, plan, options);
}

async function write(run: Run, plan: Plan, options: ConnectOptions): Promise<undefined> {
  const { client, target, url, place } = plan;
  const { checkTarget, connectClient } = await import("../../../../features/clients/connect-client.ts");
  checkAddress(url);
  await checkToolboxes(run, options.tools ?? []);
  const deps = { place, clock: systemClock, ownUrl: url };
  // Before an agent is made for nothing.
  await checkTarget(client, target, await accessFor(run, url, "TOKEN"), deps);

  const who = await agentFor(run, client, plan.project, options.tools !== undefined);
  const agent = await giveRights(run, who, options.tools);
  const keepsRights = who.exists && options.tools === undefined && !hasUsualRights(agent.agent);
  const { token, record } = await newClientToken(run, who.name, plan.label);
  let written: Written;
  try {
    written = await connectClient(client, target, await accessFor(run, url, token), deps);
  } catch (error) {
    await run.send("DELETE", `/api/tokens/${record.id}`);
    throw error;
  }
  await revokeTokens(run, client, plan.label, record.id);

  const doubles = await doubleServers(run, client, { ...plan, ...deps });
  const none: Moved = { moved: [], kept: [] };
  const move = options.move ? await moveServers(run, doubles, client, deps) : none;
  const listed = await listedOf(run, agent.agent.name);
  run.print(
    {
      client: client.id,
      ...written,
      agent: agent.agent.name,
      url,
      also: doubles.registered.map((server) => server.name),
      moved: move.moved,
      notMoved: move.kept,
      notRegistered: doubles.others,
    },
    printable(connected(plan, written, { ...agent, keepsRights, listed }, doubles, move)) +
      (await daemonHint(run)),
  );
}

async function undo(run: Run, plan: Plan): Promise<undefined> {
  const { client, target, url, label, project } = plan;
  const { disconnectClient } = await import("../../../../features/clients/connect-client.ts");
  const undone = await disconnectClient(client, target, { ownUrl: url });
  const moves = undone ? [undone, ...(await restoreMoved(client, plan))] : [];
  const { name: agent } = await agentFor(run, client, project, false);
  const revoked = await revokeTokens(run, client, label);
  const restored = moves.flatMap((one) => one.restored);
  const stayOut = moves.flatMap((one) => one.stayOut);
  const file = undone
    ? `Took Toolkeep out of ${target.path}${undone.removedFile ? ", which held nothing else and is gone" : ""}.`
    : `Toolkeep does not stand in ${target.path}.`;
  const token = revoked === 0 ? "It had no token." : `${counted(revoked, "token")} of it ended.`;
  const lines = [
    file,
    ...(restored.length === 0 ? [] : [`Back in it: ${restored.join(", ")}.`]),
    ...stayOut.map(
      ({ names, backup }) => `Moved servers stay out: ${names.join(", ")}; they are in ${backup}`,
    ),
    ...(undone || revoked > 0 ? [`${token} Its agent ${agent} and the backups stay.`] : []),
    ...(undone ? [`Restart ${client.title} if it runs.`] : []),
  ];
  run.print(
    { client: client.id, file: target.path, removed: undone !== undefined, revoked, restored, stayOut },
    printable(lines.map((line) => `${line}\n`).join("")),
  );
}

async function printSnippet(run: Run, { client, target, url, project }: Plan): Promise<undefined> {
  const { withSetting } = await import("../../../../machine/config/edit/edit-settings.ts");
  const { OWN_NAME } = await import("../../../../features/clients/own-entry.ts");
  const entry = client.entry(await accessFor(run, url, "TOKEN"));
  const snippet = withSetting(target.path, "", [...client.container({}), OWN_NAME], entry);
  const text = snippet.ok ? snippet.value : "";
  const { name: agent, exists } = await agentFor(run, client, project, false);
  const scopes = CLIENT_SCOPES.map((scope) => `--scope ${scope}`).join(" ");
  const create = exists ? "" : `  toolkeep agent create ${agent} --grant '${EXTERNAL_TOOLS}'\n`;
  run.print(
    { client: client.id, file: target.path, entry },
    `In ${target.path}:\n\n${text.replace(/^(?=.)/gm, "  ")}\nTOKEN is one of an agent:\n\n${create}  toolkeep token create --agent ${agent} ${scopes}\n`,
  );
}

async function listClients(run: Run, place: Place, ownUrl: string): Promise<undefined> {
  const { CLIENTS } = await import("../../../../features/clients/clients.ts");
  const { connectionOf, isFound, targetFile } = await import(
    "../../../../features/clients/connect-client.ts"
  );
  const { tokens } = await run.get<TokenList>("/api/tokens");
  const clients = await Promise.all(
    CLIENTS.map(async (client) => {
      const target = await targetFile(client, place, "user");
      const { connected, problem } = await connectionOf(client, target, { ownUrl }).then(
        (connection) => ({ connected: inWords(connection, tokens), problem: null }),
        (error: unknown) => ({ connected: "unknown, see below", problem: messageOf(error) }),
      );
      return {
        client: client.id,
        found: await isFound(client, place),
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

function inWords({ state, token }: Connection, tokens: TokenList["tokens"]): string {
  if (state !== "connected") return state === "absent" ? "no" : "no, another server has the name";
  if (!token) return "yes";
  const known = tokens.filter((one) => one.agent && token.endsWith(one.hint));
  if (known.length === 0) return "yes, but its token is not known here";
  const isOver = known.every(({ expiresAt }) => expiresAt !== null && expiresAt <= systemClock());
  return isOver ? "yes, but its token has ended" : "yes";
}

async function accessFor({ terminal }: Run, url: string, token: string): Promise<Access> {
  const remote = remoteDaemon(terminal.env);
  const where = remote ? { TOOLKEEP_URL: remote.url } : { TOOLKEEP_HOME: await homeHere(terminal) };
  return {
    url,
    token,
    command: process.execPath,
    args: [ownBin(), "stdio"],
    env: { ...where, TOOLKEEP_TOKEN: token },
  };
}

function connected(
  { client }: Plan,
  written: Written,
  {
    agent,
    unknown,
    unmatched,
    keepsRights,
    listed,
  }: AgentAnswer & { readonly keepsRights: boolean; readonly listed: string },
  { registered, others }: DoubleServers,
  { moved, kept }: Moved,
): string {
  const nothing = [...unknown, ...unmatched];
  const isLeft = (name: string) => moved.includes(name) || kept.some((server) => server.name === name);
  const double = registered.map((server) => server.name).filter((name) => !isLeft(name));
  const rights = [...agent.toolboxes.map((toolbox) => `toolbox ${toolbox}`), ...agent.grants].join(", ");
  const notes = [
    client.next,
    `Its agent ${agent.name} has ${counted(agent.toolCount, "tool")}: ${listed}.`,
    ...(keepsRights ? [`Its agent ${agent.name} keeps what it had: ${rights || "nothing"}.`] : []),
    ...(nothing.length === 0
      ? []
      : [`${nothing.join(", ")} ${nothing.length === 1 ? "matches" : "match"} no tools yet.`]),
    ...(moved.length === 0
      ? []
      : [`Taken out of ${client.title}, for Toolkeep has them: ${moved.join(", ")}.`]),
    ...kept.map(
      ({ name, reason }) =>
        `Left in ${client.title}, since Toolkeep cannot run it: ${name} (${reason}). Once it works: toolkeep connect ${client.id} --move`,
    ),
    ...(double.length === 0
      ? []
      : [
          `${client.title} has these itself too, so they would be offered twice: ${double.join(", ")}. Take them out: toolkeep connect ${client.id} --move`,
        ]),
    ...(others.length === 0
      ? []
      : [
          `Not behind Toolkeep yet: ${others.join(", ")}. Bring them in: toolkeep import --client ${client.id}`,
        ]),
    ...tokenNotes(written),
  ];
  return `${client.title} reaches Toolkeep now.\n${fields([
    ["settings", written.file],
    ["backup", written.backup],
    ["agent", agent.name],
    ["may call", rights],
  ])}${notes.map((note) => `${note}\n`).join("")}`;
}

/** Where the token may be seen by others. */
function tokenNotes({ file, linkedTo, mode, created }: Written): string[] {
  const isOpen = !created && (mode & 0o044) !== 0;
  return [
    ...(isOpen
      ? [`Others on this machine can read ${file}, which holds a token now: chmod 600 ${file}`]
      : []),
    ...(linkedTo === null ? [] : [`${file} is a link: the token is in ${linkedTo}`]),
  ];
}

async function daemonHint({ terminal }: Run): Promise<string> {
  if (remoteDaemon(terminal.env)) return "";
  const daemon = await findDaemon(await homeHere(terminal), terminal.signal);
  return daemon ? "" : "No daemon runs yet: toolkeep serve, or toolkeep service install\n";
}

/** Without a name the clients are listed, which no option is about. */
function checkNamed(name: string | undefined, options: ConnectOptions): void {
  const given = OPTIONS.find((option) => options[option] !== undefined);
  if (name !== undefined || given === undefined) return;
  throw new ToolkeepError(
    "BAD_USAGE",
    `--${given} is about one client: name a client, as in toolkeep connect cursor --${given}`,
  );
}

const OPTIONS = ["project", "tools", "move", "print", "undo"] as const;

function checkAddress(url: string): void {
  if (new URL(url).port !== "0") return;
  throw new ToolkeepError(
    "BAD_USAGE",
    "the port of the daemon is chosen anew at every start (port 0), so no client could find it; set a port",
  );
}
