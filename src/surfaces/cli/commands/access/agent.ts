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
import { formatToolCounts, getToolCounts } from "../../print/tool-counts.ts";
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

/** Options that only `agent edit` can turn off. */
const AGENT_TRAITS = ["localModel", "coordinator"] as const;

export function agentCommand(shell: Shell): Command {
  const agent = shell.group("agent", "Manage agents and what they may call");

  agent.leaf("list", "List agents", listAgents);
  agent.leaf("show <name>", "Show an agent, its tools and where each grant comes from", showAgent, "main");
  addAgentOptions(
    agent.leaf(
      "create <name>",
      "Create an agent; without toolboxes it gets only the core tools",
      createAgent,
      "writer --toolbox research --grant mcp_fs_read_text_file",
      "coder --folder ~/src/app:rw --folder ~/docs:ro",
      "looker --parent coder --scout",
    ),
  )
    .option("--parent <agent>", "Make it a sub-agent of this agent")
    .option("--scout", "Make it a read-only scout of its parent, by default with the toolbox scout");
  addAgentOptions(
    agent.leaf(
      "edit <name>",
      "Change an agent and its rights",
      editAgent,
      "writer --grant mcp_fs_read_text_file",
      "writer --revoke research --clear folders",
      "writer --pin mcp_github_create_issue --model gpt-5",
    ),
  )
    .option("--revoke <name>", "Revoke a toolbox or tool (repeatable)", collect, [])
    .option(
      "--unpin <tool>",
      "Unpin a tool, so that lists may leave it to tool_search (repeatable)",
      collect,
      [],
    )
    .option(
      "--clear <what>",
      "First remove all toolboxes, grants, folders or pins, or the model (repeatable)",
      collect,
      [],
    )
    .option("--attended", "Undo --headless: calls may ask a person again")
    .option("--no-local-model", "Undo --local-model")
    .option("--no-coordinator", "Undo --coordinator");
  destructive(
    agent,
    "delete <name>",
    "Delete an agent and its tokens; its workspace stays on disk",
    (name) => `Delete agent ${name} and its tokens?`,
    deleteAgent,
    "writer",
  );
  agent
    .leaf("messages <name>", "Show reports from an agent's sub-agents", listMessages, "main --unread")
    .option("--unread", "Only unread messages")
    .option("--mark-read", "Mark the shown messages as read");
  return agent;
}

function addAgentOptions(command: Command): Command {
  return command
    .option("--description <text>", "What the agent is for")
    .option("--toolbox <name>", "Give it a toolbox (repeatable)", collect, [])
    .option("--grant <tool>", "Grant a tool, or a pattern such as mcp:github:* (repeatable)", collect, [])
    .option(
      "--folder <path[:ro|rw]>",
      "Give it a folder outside its workspace, read-only by default (repeatable)",
      collect,
      [],
    )
    .option(
      "--pin <tool>",
      "Always list this server tool instead of leaving it to tool_search (repeatable)",
      collect,
      [],
    )
    .option("--model <name>", "Model it runs on, which decides how many tools are listed")
    .option("--headless", "Deny calls that would ask a person, for agents that run unattended")
    .option("--local-model", "Treat its model as local, whatever its name")
    .option("--coordinator", "Always list the tools for leading other agents");
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
  const [{ agent }, { tools, planned, cost, ...gaps }] = await Promise.all([
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
    { agent, tools, cost, planned, unknown: gaps.unknown, unmatched: gaps.unmatched },
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
      ["headless", agent.headless ? "yes: calls that would ask a person are denied" : null],
      ["local model", agent.localModel ? "yes" : null],
      ["coordinator", agent.coordinator ? "yes: it leads other agents" : null],
      ["tools", formatToolCounts(cost)],
    ])}${formatGaps(gaps)}${formatPlanned(planned)}${formatWithheld(agent, { tools, planned, ...gaps })}\n${table(["TOOL", "GRANTED BY", "STATUS", "LISTED"], rows, run.terminal.columns)}`,
  );
}

async function createAgent(run: Run, name: string, options: AgentOptions): Promise<undefined> {
  const body: NewAgent = {
    name,
    ...readOptions(options, run.terminal.cwd),
    ...(options.parent === undefined ? {} : { parent: options.parent }),
    ...(options.scout ? { scout: true } : {}),
  };
  const answer = await run.send<AgentAnswer>("POST", "/api/agents", body);
  run.print(
    answer,
    `Created agent ${name} with ${counted(answer.agent.toolCount, "tool")}: ${await getToolCounts(run, name)}.\n${formatGaps(answer)}${await getWithheldNote(run, answer)}Next: toolkeep token create --agent ${name}\n`,
  );
}

async function editAgent(run: Run, name: string, options: EditOptions): Promise<undefined> {
  checkEditOptions(options);
  const { agent } = await run.get<AgentAnswer>(path`/api/agents/${name}`);
  checkRevoked(agent, options);
  const change = mergeEdit(agent, options, run.terminal.cwd);
  const answer = await run.send<AgentAnswer>("PATCH", path`/api/agents/${name}`, change);
  run.print(
    answer,
    `Changed agent ${name}; it now has ${counted(answer.agent.toolCount, "tool")}: ${await getToolCounts(run, name)}.\n${formatGaps(answer)}${await getWithheldNote(run, answer)}`,
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

/** Only the options that were given; an empty list means that the option was not. */
function readOptions(options: AgentOptions, cwd: string): AgentInput {
  return {
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.toolbox.length === 0 ? {} : { toolboxes: options.toolbox }),
    ...(options.grant.length === 0 ? {} : { grants: options.grant }),
    ...(options.folder.length === 0 ? {} : { folders: options.folder.map((text) => parseFolder(text, cwd)) }),
    ...(options.pin.length === 0 ? {} : { pins: options.pin }),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.headless ? { headless: true } : {}),
    ...Object.fromEntries(
      AGENT_TRAITS.filter((trait) => options[trait] !== undefined).map((trait) => [trait, options[trait]]),
    ),
  };
}

/** The rights of the agent without what is cleared or revoked, plus what the options add. */
function mergeEdit(agent: AgentView, options: EditOptions, cwd: string): AgentInput {
  checkClear(options.clear);
  const unlessCleared = <T>(what: string, before: readonly T[]) =>
    options.clear.includes(what) ? [] : before;
  const more = readOptions(options, cwd);
  const isNotRevoked = (name: string) => !options.revoke.includes(name);
  const folders = more.folders ?? [];
  return {
    ...(options.clear.includes("model") ? { model: null } : {}),
    ...(options.attended ? { headless: false } : {}),
    ...more,
    pins: [...unlessCleared("pins", agent.pins), ...options.pin].filter(
      (name) => !options.unpin.includes(name),
    ),
    toolboxes: [...unlessCleared("toolboxes", agent.toolboxes), ...options.toolbox].filter(isNotRevoked),
    grants: [...unlessCleared("grants", agent.grants), ...options.grant].filter(isNotRevoked),
    folders: [
      ...unlessCleared("folders", agent.folders).filter(
        (before) => !folders.some((folder) => folder.path === before.path),
      ),
      ...folders,
    ],
  };
}

function checkEditOptions(options: EditOptions): void {
  const { description, model, headless, attended, ...lists } = options;
  if (headless && attended)
    throw new ToolkeepError("BAD_USAGE", "--headless and --attended are opposites; give only one");
  const { toolbox, grant, folder, revoke, clear, pin, unpin } = lists;
  if (
    description === undefined &&
    model === undefined &&
    !headless &&
    !attended &&
    AGENT_TRAITS.every((trait) => options[trait] === undefined) &&
    [toolbox, grant, folder, revoke, clear, pin, unpin].every((list) => list.length === 0)
  ) {
    throw new ToolkeepError(
      "BAD_USAGE",
      "nothing to change; add with --toolbox, --grant, --folder, --pin or --model, or remove with --revoke, --unpin or --clear",
    );
  }
}

function checkRevoked(agent: AgentView, { revoke }: EditOptions): void {
  const current = [...agent.toolboxes, ...agent.grants];
  const wrong = revoke.find((name) => !current.includes(name));
  if (wrong === undefined) return;
  throw new ToolkeepError(
    "NOT_FOUND",
    `agent ${agent.name} has no toolbox or grant ${JSON.stringify(wrong)}; it has ${current.join(", ") || "none"}`,
  );
}

function checkClear(what: readonly string[]): void {
  const known = ["toolboxes", "grants", "folders", "pins", "model"];
  const wrong = what.find((name) => !known.includes(name));
  if (wrong) throw new ToolkeepError("BAD_USAGE", `--clear must be one of ${known.join(", ")}; got ${wrong}`);
}

/** `path`, `path:ro` or `path:rw`. */
function parseFolder(text: string, cwd: string): FolderGrant {
  const [, folder = text, mode = "ro"] = /^(.*):(ro|rw)$/.exec(text) ?? [];
  return { path: resolve(cwd, folder), access: mode === "rw" ? "write" : "read" };
}

function formatPlanned(planned: readonly string[]): string {
  return planned.length === 0 ? "" : `Not available yet: ${planned.join(", ")}\n`;
}

async function getWithheldNote(run: Run, { agent }: AgentAnswer): Promise<string> {
  if (agent.grants.length === 0) return "";
  return formatWithheld(agent, await run.get<AgentTools>(path`/api/agents/${agent.name}/tools`));
}

/** Lists grants of existing tools that the agent cannot use anyway. */
function formatWithheld(
  { grants, context }: AgentView,
  { tools, planned, unknown }: Pick<AgentTools, "tools" | "planned" | "unknown">,
): string {
  const explained = new Set([...tools.map(({ name }) => name), ...planned, ...unknown]);
  const withheld = grants.filter((name) => !/[:*]/.test(name) && !explained.has(name));
  return withheld.length === 0
    ? ""
    : `No effect (not available to a ${context}, or denied by a rule): ${withheld.join(", ")}\n`;
}

function formatGaps({ unknown, unmatched }: Pick<AgentAnswer, "unknown" | "unmatched">): string {
  const names =
    unknown.length === 0 ? "" : `Unknown tools (kept in case they appear): ${unknown.join(", ")}\n`;
  return unmatched.length === 0 ? names : `${names}Matches no tools yet: ${unmatched.join(", ")}\n`;
}
