import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { CAPABILITIES } from "../../../../contract/tool.ts";
import { path, query } from "../../../../lib/http/api-path.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { oneLine, printable } from "../../../../lib/terminal/printable.ts";
import { fields, table } from "../../../../lib/terminal/table.ts";
import type {
  CustomToolAnswer,
  CustomToolList,
  CustomToolView,
  ToolAnswer,
  ToolDetail,
  ToolList,
  ToolView,
} from "../../../api/contract.ts";
import { customToolFields } from "../../print/custom-tool-text.ts";
import { flagWords } from "../../print/flag-words.ts";
import type { Run, Shell } from "../../shell.ts";
import { customToolCommands } from "./custom-tool.ts";

const MOST_HINTS = 5;

export function toolCommand(shell: Shell): Command {
  const tool = shell.group("tool", "every tool that can be called here");

  tool
    .leaf("list", "list the tools, all or those an agent sees", listTools, "--agent main")
    .option("--agent <name>", "only what this agent sees")
    .option("--planned", "only those that are announced and not available yet");
  tool.leaf(
    "show <name>",
    "show a tool: what it takes, its flags, who may call it",
    showTool,
    "mcp_fs_read_text_file",
  );
  tool
    .leaf(
      "capabilities <name>",
      "say what a tool of a server can do, for rules",
      setCapabilities,
      "mcp_fs_read_text_file --set fs.read",
      "mcp_fs_read_text_file --derived",
    )
    .option("--set <list>", "such as fs.write,net; empty: nothing of it")
    .option("--derived", "what its definition says, as before");
  customToolCommands(tool);
  return tool;
}

async function listTools(run: Run, options: { agent?: string; planned?: true }): Promise<undefined> {
  // Asked first: it looks at the folders, and what is new there is then among the tools.
  const custom = await run.get<CustomToolList>("/api/custom-tools");
  const { tools } = await run.get<ToolList>(
    `/api/tools${query({ agent: options.agent, ...(options.planned && { state: "planned" }) })}`,
  );
  const listed = bySource(tools, run.terminal.columns);
  run.print({ tools }, options.agent === undefined ? listed + waiting(custom) : listed);
}

/** One table, with the tools of each server, of each plugin and our own under a line that names them. */
function bySource(tools: readonly ToolView[], columns: number): string {
  const groups = new Map<string, ToolView[]>();
  for (const tool of tools) groups.set(tool.origin, [...(groups.get(tool.origin) ?? []), tool]);
  const origins = [...groups.keys()].sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  const sorted = origins.flatMap((origin) => groups.get(origin)!);
  const rows = sorted.map((tool) => [tool.name, stateWords(tool), tool.description]);
  const [headings = "", ...lines] = table(
    ["NAME", "STATUS", "DESCRIPTION"],
    rows,
    columns - INDENT.length,
  ).split("\n");
  let at = 0;
  const parts = origins.map((origin) => {
    const group = lines.slice(at, at + groups.get(origin)!.length);
    at += group.length;
    return `${titleOf(origin)}: ${counted(group.length, "tool")}\n${group.map((line) => `${INDENT}${line}\n`).join("")}`;
  });
  return `${INDENT}${headings}\n${parts.join("")}`;
}

const INDENT = "  ";

/** Our own first, then the user's, then those of others. */
function rankOf(origin: string): number {
  return origin === "native" ? 0 : origin.includes(":") ? 2 : 1;
}

function titleOf(origin: string): string {
  const [kind, ...name] = origin.split(":");
  if (kind === "mcp") return `server ${oneLine(name.join(":"))}`;
  return kind === "plugin" ? `plugin ${oneLine(name.join(":"))}` : oneLine(origin);
}

/** What waits for the person who looks. */
function waiting({ tools, problems }: CustomToolList): string {
  const reasons = tools.flatMap(({ status }) => (status.kind === "active" ? [] : [status.reason]));
  const hints = [...reasons, ...problems.map((problem) => `not a tool: ${problem}`)];
  const more = hints.length > MOST_HINTS ? `… and ${hints.length - MOST_HINTS} more\n` : "";
  return (
    hints
      .slice(0, MOST_HINTS)
      .map((hint) => `${oneLine(hint)}\n`)
      .join("") + more
  );
}

async function showTool(run: Run, name: string): Promise<undefined> {
  const answer = await run.get<ToolAnswer>(path`/api/tools/${name}`);
  const { tool } = answer;
  const custom = tool.origin === "custom" ? await customTool(run, tool.name) : undefined;
  run.print(
    custom ? { ...answer, custom } : answer,
    `${fields([
      ["name", tool.name],
      ["own name", tool.ownName],
      ["origin", tool.origin],
      ["status", statusOf(tool)],
      ["flags", flagWords(tool.flags, tool.floor)],
      ["can", can(tool)],
      [
        "look at",
        tool.findings
          .map(({ kind, excerpt }) => `${kind.replaceAll("_", " ")}: ${oneLine(excerpt)}`)
          .join("; ") || null,
      ],
      ["trusted", tool.untrusted ? "no" : null],
      ["scope", tool.scope],
      ["for", FOR[tool.availability]],
      ["time limit", `${tool.timeoutMs / 1000} s`],
      ...(custom ? customToolFields(custom, Date.now()).filter(([name]) => !SHOWN.has(name)) : []),
      ["warnings", tool.warnings.join("; ") || null],
      ["toolboxes", tool.toolboxes.join(", ")],
      ["agents", tool.agents.join(", ") || "none; give it with toolkeep agent edit or a toolbox"],
    ])}\n${printable(tool.description)}\n\narguments:\n${printable(JSON.stringify(tool.inputSchema, null, 2))}\n`,
  );
}

function can({ capabilities, corrected }: ToolDetail): string | null {
  const list = capabilities.join(", ");
  return corrected ? `${list || "nothing of it"} (a person said so)` : list || null;
}

async function setCapabilities(
  run: Run,
  name: string,
  options: { set?: string; derived?: boolean },
): Promise<undefined> {
  if ((options.set === undefined) === (options.derived !== true))
    throw new ToolkeepError("BAD_USAGE", "give --set LIST or --derived");
  const capabilities =
    options.set
      ?.split(",")
      .map((part) => part.trim())
      .filter(Boolean) ?? null;
  const wrong = capabilities?.filter((one) => !(CAPABILITIES as readonly string[]).includes(one)) ?? [];
  if (wrong.length > 0)
    throw new ToolkeepError("BAD_USAGE", `${wrong.join(", ")} is none of ${CAPABILITIES.join(", ")}`);
  const answer = await run.send<ToolAnswer>("PUT", path`/api/tools/${name}/capabilities`, { capabilities });
  run.print(answer, `${answer.tool.name} can: ${can(answer.tool) ?? "nothing of it"}\n`);
}

const FOR: Readonly<Record<ToolView["availability"], string>> = {
  main: "main agents",
  "sub-agent": "sub-agents",
  both: "main agents and sub-agents",
};

function statusOf({ status }: ToolView): string {
  if (status.kind === "active") return "active";
  return status.kind === "planned" ? status.reason : `${status.kind}: ${status.reason}`;
}

function stateWords({ status: { kind } }: ToolView): string {
  return kind === "planned" ? "not available yet" : kind;
}

/** What of a custom tool is shown of every tool. */
const SHOWN = new Set(["flags", "time limit"]);

async function customTool(run: Run, name: string): Promise<CustomToolView> {
  return (await run.get<CustomToolAnswer>(path`/api/custom-tools/${name}`)).tool;
}
