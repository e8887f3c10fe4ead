import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { path } from "../../../../lib/http/api-path.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { fields, table } from "../../../../lib/terminal/table.ts";
import type { ToolboxAnswer, ToolboxList, ToolboxView } from "../../../api/contract.ts";
import { destructive } from "../../input/destructive.ts";
import type { Run, Shell } from "../../shell.ts";

export function toolboxCommand(shell: Shell): Command {
  const toolbox = shell.group("toolbox", "Manage named sets of tools");

  toolbox.leaf("list", "List toolboxes", listToolboxes);
  toolbox.leaf("show <name>", "Show the tools in a toolbox", showToolbox, "reading");
  toolbox
    .leaf(
      "create <name> [tools...]",
      "Create a toolbox; * means every native tool, mcp:NAME:* every tool of a server",
      createToolbox,
      "reading mcp_fs_read_text_file mcp_fs_list_directory",
    )
    .option("--description <text>", "What the toolbox is for")
    .option("--allow-unknown", "Accept names that no tool has yet");
  toolbox
    .leaf("add <name> <tools...>", "Add tools to a toolbox", addTools, "reading mcp_fs_search_files")
    .option("--allow-unknown", "Accept names that no tool has yet");
  toolbox.leaf(
    "remove <name> <tools...>",
    "Remove tools from a toolbox",
    removeTools,
    "reading mcp_fs_search_files",
  );
  destructive(
    toolbox,
    "delete <name>",
    "Delete a toolbox; agents lose its tools",
    (name) => `Delete toolbox ${name}? Its agents lose these tools.`,
    deleteToolbox,
    "reading",
  );
  return toolbox;
}

async function listToolboxes(run: Run): Promise<undefined> {
  const { toolboxes } = await run.get<ToolboxList>("/api/toolboxes");
  const rows = toolboxes.map((toolbox) => [
    toolbox.name,
    toolbox.builtin ? "built-in" : "own",
    toolbox.tools.includes("*") ? "*" : toolbox.tools.length,
    toolbox.agents.join(", "),
    toolbox.description,
  ]);
  run.print(
    { toolboxes },
    table(["NAME", "KIND", "TOOLS", "AGENTS", "DESCRIPTION"], rows, run.terminal.columns),
  );
}

async function showToolbox(run: Run, name: string): Promise<undefined> {
  const answer = await run.get<ToolboxAnswer>(path`/api/toolboxes/${name}`);
  const { toolbox } = answer;
  run.print(
    answer,
    `${fields([
      ["name", toolbox.name],
      ["kind", toolbox.builtin ? "built-in, read-only" : "own"],
      ["description", toolbox.description],
      ["agents", toolbox.agents.join(", ")],
    ])}tools:\n${toolbox.tools.map((tool) => `  ${tool}${formatRemark(tool, toolbox)}\n`).join("") || `  none yet; add some: toolkeep toolbox add ${toolbox.name} TOOL…\n`}`,
  );
}

async function createToolbox(
  run: Run,
  name: string,
  tools: string[],
  options: { description?: string; allowUnknown?: boolean },
): Promise<undefined> {
  const body = {
    name,
    tools,
    allowUnknown: options.allowUnknown === true,
    ...(options.description === undefined ? {} : { description: options.description }),
  };
  const answer = await run.send<ToolboxAnswer>("POST", "/api/toolboxes", body);
  run.print(
    answer,
    `Created toolbox ${name}.\n${formatSummary(answer.toolbox)}Next: toolkeep ${tools.length === 0 ? `toolbox add ${name} TOOL…` : `agent edit AGENT --toolbox ${name}`}\n`,
  );
}

async function addTools(
  run: Run,
  name: string,
  tools: string[],
  options: { allowUnknown?: boolean },
): Promise<undefined> {
  const allowUnknown = options.allowUnknown === true;
  const addMissing = (before: readonly string[]) => [
    ...before,
    ...tools.filter((tool) => !before.includes(tool)),
  ];
  await changeTools(run, name, addMissing, { allowUnknown });
}

async function removeTools(run: Run, name: string, tools: string[]): Promise<undefined> {
  await changeTools(run, name, (before) => {
    const absent = tools.find((tool) => !before.includes(tool));
    if (absent !== undefined) {
      throw new ToolkeepError(
        "NOT_FOUND",
        `toolbox ${name} does not contain ${JSON.stringify(absent)}; see toolkeep toolbox show ${name}`,
      );
    }
    return before.filter((tool) => !tools.includes(tool));
  });
}

async function deleteToolbox(run: Run, name: string): Promise<undefined> {
  const { toolbox } = await run.get<ToolboxAnswer>(path`/api/toolboxes/${name}`);
  const lossNote =
    toolbox.agents.length === 0
      ? ""
      : `These agents lost its tools: ${toolbox.agents.join(", ")}. They keep its name in case it is created again; to remove it: toolkeep agent edit AGENT --revoke ${name}\n`;
  run.print(
    await run.send<object>("DELETE", path`/api/toolboxes/${name}`),
    `Deleted toolbox ${name}.\n${lossNote}`,
  );
}

async function changeTools(
  run: Run,
  name: string,
  change: (before: readonly string[]) => readonly string[],
  checks: { readonly allowUnknown?: boolean } = {},
): Promise<void> {
  const { toolbox } = await run.get<ToolboxAnswer>(path`/api/toolboxes/${name}`);
  const answer = await run.send<ToolboxAnswer>("PATCH", path`/api/toolboxes/${name}`, {
    tools: change(toolbox.tools),
    ...checks,
  });
  run.print(answer, `Changed toolbox ${name}.\n${formatSummary(answer.toolbox)}`);
}

function formatRemark(tool: string, { unknown, planned, unmatched }: ToolboxView): string {
  if (unknown.includes(tool)) return "  (unknown)";
  if (planned.includes(tool)) return "  (not available yet)";
  return unmatched.includes(tool) ? "  (matches no tools yet)" : "";
}

function formatSummary({ tools, unknown, planned, unmatched }: ToolboxView): string {
  const patterns = tools.filter((tool) => tool.includes(":"));
  const listed = [
    counted(tools.length - patterns.length, "tool"),
    ...(patterns.length === 0 ? [] : [counted(patterns.length, "pattern")]),
  ];
  const unknownNote =
    unknown.length === 0 ? "" : `Unknown tools (kept in case they appear): ${unknown.join(", ")}\n`;
  const plannedNote = planned.length === 0 ? "" : `Not available yet: ${planned.join(", ")}\n`;
  const unmatchedNote = unmatched.length === 0 ? "" : `Matches no tools yet: ${unmatched.join(", ")}\n`;
  return `It contains ${listed.join(" and ")}.\n${unknownNote}${plannedNote}${unmatchedNote}`;
}
