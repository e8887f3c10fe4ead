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
import { listCustomToolFields } from "../../print/custom-tool-text.ts";
import { formatFlags } from "../../print/flag-words.ts";
import type { Run, Shell } from "../../shell.ts";
import { customToolCommands } from "./custom-tool.ts";

const MAX_HINTS = 5;

export function toolCommand(shell: Shell): Command {
  const tool = shell.group("tool", "List and inspect tools, and manage custom tools");

  tool
    .leaf("list", "List tools", listTools, "--agent main")
    .option("--agent <name>", "Only tools that this agent sees")
    .option("--planned", "Only tools that are planned and not available yet");
  tool.leaf(
    "show <name>",
    "Show a tool: its arguments, flags and who may call it",
    showTool,
    "mcp_fs_read_text_file",
  );
  tool
    .leaf(
      "capabilities <name>",
      "Set what a server's tool can do, for rules",
      setCapabilities,
      "mcp_fs_read_text_file --set fs.read",
      "mcp_fs_read_text_file --derived",
    )
    .option("--set <list>", "Comma-separated capabilities, such as fs.write,net; empty for none")
    .option("--derived", "Use what its definition says (default)");
  customToolCommands(tool);
  return tool;
}

async function listTools(run: Run, options: { agent?: string; planned?: true }): Promise<undefined> {
  // This request goes first because it scans the folders, so that new custom tools are in the next answer.
  const custom = await run.get<CustomToolList>("/api/custom-tools");
  const { tools } = await run.get<ToolList>(
    `/api/tools${query({ agent: options.agent, ...(options.planned && { state: "planned" }) })}`,
  );
  const rendered = formatBySource(tools, run.terminal.columns);
  run.print({ tools }, options.agent === undefined ? rendered + formatWaiting(custom) : rendered);
}

/** One table, with the tools grouped under their server, plugin or origin. */
function formatBySource(tools: readonly ToolView[], columns: number): string {
  const groups = new Map<string, ToolView[]>();
  for (const tool of tools) groups.set(tool.origin, [...(groups.get(tool.origin) ?? []), tool]);
  const origins = [...groups.keys()].sort((a, b) => rankOrigin(a) - rankOrigin(b) || (a < b ? -1 : 1));
  const sorted = origins.flatMap((origin) => groups.get(origin)!);
  const rows = sorted.map((tool) => [tool.name, formatStatusKind(tool), tool.description]);
  const [headings = "", ...lines] = table(
    ["NAME", "STATUS", "DESCRIPTION"],
    rows,
    columns - INDENT.length,
  ).split("\n");
  let at = 0;
  const parts = origins.map((origin) => {
    const group = lines.slice(at, at + groups.get(origin)!.length);
    at += group.length;
    return `${formatOrigin(origin)}: ${counted(group.length, "tool")}\n${group.map((line) => `${INDENT}${line}\n`).join("")}`;
  });
  return `${INDENT}${headings}\n${parts.join("")}`;
}

const INDENT = "  ";

/** Native tools come first, then custom tools, then those of servers and plugins. */
function rankOrigin(origin: string): number {
  return origin === "native" ? 0 : origin.includes(":") ? 2 : 1;
}

function formatOrigin(origin: string): string {
  const [kind, ...name] = origin.split(":");
  if (kind === "mcp") return `server ${oneLine(name.join(":"))}`;
  return kind === "plugin" ? `plugin ${oneLine(name.join(":"))}` : oneLine(origin);
}

/** Custom tools that need a person's attention. */
function formatWaiting({ tools, problems }: CustomToolList): string {
  const reasons = tools.flatMap(({ status }) => (status.kind === "active" ? [] : [status.reason]));
  const hints = [...reasons, ...problems.map((problem) => `not a tool: ${problem}`)];
  const more = hints.length > MAX_HINTS ? `… and ${hints.length - MAX_HINTS} more\n` : "";
  return (
    hints
      .slice(0, MAX_HINTS)
      .map((hint) => `${oneLine(hint)}\n`)
      .join("") + more
  );
}

async function showTool(run: Run, name: string): Promise<undefined> {
  const answer = await run.get<ToolAnswer>(path`/api/tools/${name}`);
  const { tool } = answer;
  const custom = tool.origin === "custom" ? await getCustomTool(run, tool.name) : undefined;
  run.print(
    custom ? { ...answer, custom } : answer,
    `${fields([
      ["name", tool.name],
      ["own name", tool.ownName],
      ["origin", tool.origin],
      ["status", formatStatus(tool)],
      ["flags", formatFlags(tool.flags, tool.floor)],
      ["can", formatCapabilities(tool)],
      [
        "findings",
        tool.findings
          .map(({ kind, excerpt }) => `${kind.replaceAll("_", " ")}: ${oneLine(excerpt)}`)
          .join("; ") || null,
      ],
      ["trusted", tool.untrusted ? "no" : null],
      ["scope", tool.scope],
      ["for", AVAILABILITY_TEXT[tool.availability]],
      ["time limit", `${tool.timeoutMs / 1000} s`],
      ...(custom
        ? listCustomToolFields(custom, Date.now()).filter(([name]) => !COMMON_FIELDS.has(name))
        : []),
      ["warnings", tool.warnings.join("; ") || null],
      ["toolboxes", tool.toolboxes.join(", ")],
      ["agents", tool.agents.join(", ") || "none; grant it with toolkeep agent edit or a toolbox"],
    ])}\n${printable(tool.description)}\n\narguments:\n${printable(JSON.stringify(tool.inputSchema, null, 2))}\n`,
  );
}

function formatCapabilities({ capabilities, corrected }: ToolDetail): string | null {
  const list = capabilities.join(", ");
  return corrected ? `${list || "nothing"} (set by a person)` : list || null;
}

async function setCapabilities(
  run: Run,
  name: string,
  options: { set?: string; derived?: boolean },
): Promise<undefined> {
  if ((options.set === undefined) === (options.derived !== true))
    throw new ToolkeepError("BAD_USAGE", "give either --set LIST or --derived");
  const capabilities =
    options.set
      ?.split(",")
      .map((part) => part.trim())
      .filter(Boolean) ?? null;
  const wrong = capabilities?.filter((one) => !(CAPABILITIES as readonly string[]).includes(one)) ?? [];
  if (wrong.length > 0)
    throw new ToolkeepError(
      "BAD_USAGE",
      `unknown capability ${wrong.join(", ")}; expected ${CAPABILITIES.join(", ")}`,
    );
  const answer = await run.send<ToolAnswer>("PUT", path`/api/tools/${name}/capabilities`, { capabilities });
  run.print(answer, `${answer.tool.name} can: ${formatCapabilities(answer.tool) ?? "nothing"}\n`);
}

const AVAILABILITY_TEXT: Readonly<Record<ToolView["availability"], string>> = {
  main: "main agents",
  "sub-agent": "sub-agents",
  both: "main agents and sub-agents",
};

function formatStatus({ status }: ToolView): string {
  if (status.kind === "active") return "active";
  return status.kind === "planned" ? status.reason : `${status.kind}: ${status.reason}`;
}

function formatStatusKind({ status: { kind } }: ToolView): string {
  return kind === "planned" ? "not available yet" : kind;
}

/** Fields of custom tools that are already shown for every tool. */
const COMMON_FIELDS = new Set(["flags", "time limit"]);

async function getCustomTool(run: Run, name: string): Promise<CustomToolView> {
  return (await run.get<CustomToolAnswer>(path`/api/custom-tools/${name}`)).tool;
}
