import { Command } from "commander";
import type { ToolAnswer, ToolList, ToolView } from "../../api/contract.ts";
import { printable } from "../../daemon/printable.ts";
import { path, query } from "../api-client.ts";
import { examples, leaf, type Run, type Shell } from "../shell.ts";
import { fields, table } from "../table.ts";

export function toolCommand(shell: Shell): Command {
  const tool = new Command("tool").description("every tool that can be called here");

  examples(
    leaf(tool, "list", "list the tools, all or those an agent sees")
      .option("--agent <name>", "only what this agent sees")
      .action(shell.action(listTools)),
    "tool list --agent main",
  );
  leaf(
    tool,
    "show <name>",
    "show a tool: what it takes, its flags, who may call it",
    "tool show mcp_fs_read_text_file",
  ).action(shell.action(showTool));
  return tool;
}

async function listTools(run: Run, options: { agent?: string }): Promise<undefined> {
  const { tools } = await run.get<ToolList>(`/api/tools${query({ agent: options.agent })}`);
  const rows = tools.map((tool) => [tool.name, tool.origin, stateWords(tool), tool.description]);
  run.print({ tools }, table(["NAME", "ORIGIN", "STATUS", "DESCRIPTION"], rows, run.terminal.columns));
}

async function showTool(run: Run, name: string): Promise<undefined> {
  const answer = await run.get<ToolAnswer>(path`/api/tools/${name}`);
  const { tool } = answer;
  run.print(
    answer,
    `${fields([
      ["name", tool.name],
      ["own name", tool.ownName],
      ["origin", tool.origin],
      ["status", statusOf(tool)],
      ["flags", flagWords(tool)],
      ["scope", tool.scope],
      ["for", FOR[tool.availability]],
      ["time limit", `${tool.timeoutMs / 1000} s`],
      ["warnings", tool.warnings.join("; ") || null],
      ["toolboxes", tool.toolboxes.join(", ")],
      ["agents", tool.agents.join(", ") || "none; give it with toolkeep agent edit or a toolbox"],
    ])}\n${printable(tool.description)}\n\narguments:\n${printable(JSON.stringify(tool.inputSchema, null, 2))}\n`,
  );
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

function flagWords({ flags, floor }: ToolView): string {
  const words = [
    flags.readOnly && "read-only",
    flags.concurrencySafe && "concurrency-safe",
    flags.destructive && "destructive",
    floor && "core",
  ];
  return words.filter(Boolean).join(", ") || "none";
}
