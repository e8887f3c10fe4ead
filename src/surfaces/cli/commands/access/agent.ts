import { resolve } from "node:path";
import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { path, query } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { fields, table } from "../../../../lib/terminal/table.ts";
import type {
  AgentAnswer,
  AgentInput,
  AgentList,
  AgentTools,
  AgentView,
  FolderGrant,
  MessageList,
  NewAgent,
} from "../../../api/contract.ts";
import { destructive } from "../../input/destructive.ts";
import { listedOf, listedText } from "../../print/listed-text.ts";
import { collect, type Run, type Shell } from "../../shell.ts";

interface AgentOptions {
  readonly description?: string;
  readonly toolbox: readonly string[];
  readonly grant: readonly string[];
  readonly folder: readonly string[];
  readonly pin: readonly string[];
  readonly model?: string;
  readonly headless?: boolean;
  readonly localModel?: boolean;
  readonly coordinator?: boolean;
  readonly parent?: string;
  readonly scout?: boolean;
}

interface EditOptions extends AgentOptions {
  readonly revoke: readonly string[];
  readonly clear: readonly string[];
  readonly unpin: readonly string[];
  readonly attended?: boolean;
}

/** Turned off only while an agent is edited. */
const SEATS = ["localModel", "coordinator"] as const;

export function agentCommand(shell: Shell): Command {
  const agent = shell.group("agent", "agents and what each of them may call");

  agent.leaf("list", "list the agents", listAgents);
  agent.leaf("show <name>", "show an agent, its tools and where each grant comes from", showAgent, "main");
  agentOptions(
    agent.leaf(
      "create <name>",
      "create an agent; without toolboxes it has the core tools only",
      createAgent,
      "writer --toolbox research --grant mcp_fs_read_text_file",
      "coder --folder ~/src/app:rw --folder ~/docs:ro",
      "looker --parent coder --scout",
    ),
  )
    .option("--parent <agent>", "make it a sub-agent of this agent")
    .option(
      "--scout",
      "make it a scout of its parent: read-only tools, by default those of the toolbox scout",
    );
  agentOptions(
    agent.leaf(
      "edit <name>",
      "give an agent more, or take something away",
      editAgent,
      "writer --grant mcp_fs_read_text_file",
      "writer --revoke research --clear folders",
      "writer --pin mcp_github_create_issue --model gpt-5",
    ),
  )
    .option("--revoke <name>", "take away this toolbox or tool (repeatable)", collect, [])
    .option("--unpin <tool>", "let its lists leave this tool to tool_search again (repeatable)", collect, [])
    .option(
      "--clear <what>",
      "take away all toolboxes, grants, folders or pins, or the model, first (repeatable)",
      collect,
      [],
    )
    .option("--attended", "let its calls ask a person again, after --headless")
    .option("--no-local-model", "what local models use all the time is left to tool_search again")
    .option("--no-coordinator", "it leads no other agents any more");
  destructive(
    agent,
    "delete <name>",
    "delete an agent and its tokens; its workspace stays on disk",
    (name) => `Delete agent ${name} and its tokens?`,
    deleteAgent,
    "writer",
  );
  agent
    .leaf("messages <name>", "show what its sub-agents reported to an agent", listMessages, "main --unread")
    .option("--unread", "only those not read yet")
    .option("--mark-read", "mark what is shown as read");
  return agent;
}

function agentOptions(command: Command): Command {
  return command
    .option("--description <text>", "what it is for")
    .option("--toolbox <name>", "give it a toolbox (repeatable)", collect, [])
    .option(
      "--grant <tool>",
      "give it a single tool, or those of a pattern such as mcp:github:* (repeatable)",
      collect,
      [],
    )
    .option(
      "--folder <path[:ro|rw]>",
      "let it use a folder outside its workspace, ro by default (repeatable)",
      collect,
      [],
    )
    .option("--pin <tool>", "never leave this tool of a server to tool_search (repeatable)", collect, [])
    .option("--model <name>", "the model it runs on, which decides how many tools its lists may have")
    .option("--headless", "deny what would ask a person: nobody watches over it")
    .option("--local-model", "its model runs on this machine or near it, whatever its name")
    .option("--coordinator", "it leads other agents: the tools for that are always in its lists");
}

async function listAgents(run: Run): Promise<undefined> {
  const { agents } = await run.get<AgentList>("/api/agents");
  const rows = agents.map((agent) => [
    agent.name,
    agent.parent ?? "-",
    agent.toolboxes.join(", ") || "core only",
    agent.toolCount,
    agent.description,
  ]);
  run.print(
    { agents },
    rows.length === 0
      ? "No agents yet. Create one: toolkeep agent create NAME\n"
      : table(["NAME", "PARENT", "TOOLBOXES", "TOOLS", "DESCRIPTION"], rows, run.terminal.columns),
  );
}

async function showAgent(run: Run, name: string): Promise<undefined> {
  const [{ agent }, { tools, planned, cost, ...nothing }] = await Promise.all([
    run.get<AgentAnswer>(path`/api/agents/${name}`),
    run.get<AgentTools>(path`/api/agents/${name}/tools`),
  ]);
  const rows = tools.map((tool) => [
    tool.name,
    tool.grantedBy.join(", "),
    tool.status.kind,
    tool.deferred ? "by search" : "yes",
  ]);
  run.print(
    { agent, tools, cost, planned, unknown: nothing.unknown, unmatched: nothing.unmatched },
    `${fields([
      ["name", agent.name],
      ["description", agent.description],
      ["context", agent.context],
      ["parent", agent.parent],
      ["toolboxes", agent.toolboxes.join(", ")],
      ["grants", agent.grants.join(", ")],
      ["folders", agent.folders.map((folder) => `${folder.path} (${folder.access})`).join(", ")],
      ["pins", agent.pins.join(", ")],
      ["model", agent.model],
      ["headless", agent.headless ? "yes: what would ask a person is denied" : null],
      ["local model", agent.localModel ? "yes" : null],
      ["coordinator", agent.coordinator ? "yes: it leads other agents" : null],
      ["tools", listedText(cost)],
    ])}${nothingNote(nothing)}${plannedNote(planned)}${withheldNote(agent, { tools, planned, ...nothing })}\n${table(["TOOL", "GRANTED BY", "STATUS", "LISTED"], rows, run.terminal.columns)}`,
  );
}

async function createAgent(run: Run, name: string, options: AgentOptions): Promise<undefined> {
  const body: NewAgent = {
    name,
    ...given(options, run.terminal.cwd),
    ...(options.parent === undefined ? {} : { parent: options.parent }),
    ...(options.scout ? { scout: true } : {}),
  };
  const answer = await run.send<AgentAnswer>("POST", "/api/agents", body);
  run.print(
    answer,
    `Created agent ${name} with ${counted(answer.agent.toolCount, "tool")}: ${await listedOf(run, name)}.\n${nothingNote(answer)}${await withheldFrom(run, answer)}Next: toolkeep token create --agent ${name}\n`,
  );
}

async function editAgent(run: Run, name: string, options: EditOptions): Promise<undefined> {
  checkGiven(options);
  const { agent } = await run.get<AgentAnswer>(path`/api/agents/${name}`);
  checkRevoked(agent, options);
  const change = edited(agent, options, run.terminal.cwd);
  const answer = await run.send<AgentAnswer>("PATCH", path`/api/agents/${name}`, change);
  run.print(
    answer,
    `Changed agent ${name}; it has ${counted(answer.agent.toolCount, "tool")} now: ${await listedOf(run, name)}.\n${nothingNote(answer)}${await withheldFrom(run, answer)}`,
  );
}

async function deleteAgent(run: Run, name: string): Promise<undefined> {
  run.print(
    await run.send<object>("DELETE", path`/api/agents/${name}`),
    `Deleted agent ${name} and its tokens.\n`,
  );
}

interface MessageOptions {
  readonly unread?: boolean;
  readonly markRead?: boolean;
}

async function listMessages(run: Run, name: string, options: MessageOptions): Promise<undefined> {
  const { messages } = await run.get<MessageList>(
    path`/api/agents/${name}/messages` + query({ unread: options.unread }),
  );
  const rows = messages.map((message) => [
    ago(message.createdAt, Date.now()),
    message.from,
    message.readAt === null ? "unread" : "read",
    message.text,
  ]);
  run.print(
    { messages },
    rows.length === 0
      ? `No messages for ${name}.\n`
      : table(["WHEN", "FROM", "STATE", "TEXT"], rows, run.terminal.columns),
  );
  if (options.markRead && messages.length > 0) {
    const ids = messages.map((message) => message.id);
    await run.send<object>("POST", `${path`/api/agents/${name}`}/messages/read`, { ids });
  }
}

/** Only what was typed: an empty list means the option was not given. */
function given(options: AgentOptions, cwd: string): AgentInput {
  return {
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.toolbox.length === 0 ? {} : { toolboxes: options.toolbox }),
    ...(options.grant.length === 0 ? {} : { grants: options.grant }),
    ...(options.folder.length === 0 ? {} : { folders: options.folder.map((text) => readFolder(text, cwd)) }),
    ...(options.pin.length === 0 ? {} : { pins: options.pin }),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.headless ? { headless: true } : {}),
    ...Object.fromEntries(
      SEATS.filter((seat) => options[seat] !== undefined).map((seat) => [seat, options[seat]]),
    ),
  };
}

/** What the agent has, without what was cleared or revoked, and with what was given. */
function edited(agent: AgentView, options: EditOptions, cwd: string): AgentInput {
  checkClear(options.clear);
  const kept = <T>(what: string, before: readonly T[]) => (options.clear.includes(what) ? [] : before);
  const more = given(options, cwd);
  const isKept = (name: string) => !options.revoke.includes(name);
  const folders = more.folders ?? [];
  return {
    ...(options.clear.includes("model") ? { model: null } : {}),
    ...(options.attended ? { headless: false } : {}),
    ...more,
    pins: [...kept("pins", agent.pins), ...options.pin].filter((name) => !options.unpin.includes(name)),
    toolboxes: [...kept("toolboxes", agent.toolboxes), ...options.toolbox].filter(isKept),
    grants: [...kept("grants", agent.grants), ...options.grant].filter(isKept),
    folders: [
      ...kept("folders", agent.folders).filter(
        (before) => !folders.some((folder) => folder.path === before.path),
      ),
      ...folders,
    ],
  };
}

function checkGiven(options: EditOptions): void {
  const { description, model, headless, attended, ...lists } = options;
  if (headless && attended)
    throw new ToolkeepError("BAD_USAGE", "--headless and --attended are opposites; give one of them");
  const { toolbox, grant, folder, revoke, clear, pin, unpin } = lists;
  if (
    description === undefined &&
    model === undefined &&
    !headless &&
    !attended &&
    SEATS.every((seat) => options[seat] === undefined) &&
    [toolbox, grant, folder, revoke, clear, pin, unpin].every((list) => list.length === 0)
  ) {
    throw new ToolkeepError(
      "BAD_USAGE",
      "nothing to change was given: name a --toolbox, --grant, --folder, --pin or --model to give, or what to --revoke, --unpin or --clear",
    );
  }
}

function checkRevoked(agent: AgentView, { revoke }: EditOptions): void {
  const had = [...agent.toolboxes, ...agent.grants];
  const wrong = revoke.find((name) => !had.includes(name));
  if (wrong === undefined) return;
  throw new ToolkeepError(
    "NOT_FOUND",
    `agent ${agent.name} has no toolbox or grant ${JSON.stringify(wrong)}; it has ${had.join(", ") || "none"}`,
  );
}

function checkClear(what: readonly string[]): void {
  const known = ["toolboxes", "grants", "folders", "pins", "model"];
  const wrong = what.find((name) => !known.includes(name));
  if (wrong) throw new ToolkeepError("BAD_USAGE", `--clear takes ${known.join(", ")}; got ${wrong}`);
}

/** `path`, `path:ro` or `path:rw`. */
function readFolder(text: string, cwd: string): FolderGrant {
  const [, folder = text, mode = "ro"] = /^(.*):(ro|rw)$/.exec(text) ?? [];
  return { path: resolve(cwd, folder), access: mode === "rw" ? "write" : "read" };
}

function plannedNote(planned: readonly string[]): string {
  return planned.length === 0 ? "" : `Not available yet: ${planned.join(", ")}\n`;
}

async function withheldFrom(run: Run, { agent }: AgentAnswer): Promise<string> {
  if (agent.grants.length === 0) return "";
  return withheldNote(agent, await run.get<AgentTools>(path`/api/agents/${agent.name}/tools`));
}

/** Grants that name a tool there is, which the agent does not have all the same. */
function withheldNote(
  { grants, context }: AgentView,
  { tools, planned, unknown }: Pick<AgentTools, "tools" | "planned" | "unknown">,
): string {
  const explained = new Set([...tools.map(({ name }) => name), ...planned, ...unknown]);
  const withheld = grants.filter((name) => !/[:*]/.test(name) && !explained.has(name));
  return withheld.length === 0
    ? ""
    : `Without effect, not for a ${context} or denied by a rule: ${withheld.join(", ")}\n`;
}

function nothingNote({ unknown, unmatched }: Pick<AgentAnswer, "unknown" | "unmatched">): string {
  const names = unknown.length === 0 ? "" : `Not known (kept, in case they come): ${unknown.join(", ")}\n`;
  return unmatched.length === 0 ? names : `${names}Matches no tool yet: ${unmatched.join(", ")}\n`;
}
