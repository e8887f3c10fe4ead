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
  const rows = tools.map((tool) => [tool.name, tool.origin, tool.status.kind, tool.description]);
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
      ["status", tool.status.kind === "active" ? "active" : `${tool.status.kind}: ${tool.status.reason}`],
      ["flags", flagWords(tool)],
      ["scope", tool.scope],
      ["for", tool.availability === "both" ? "main agents and sub-agents" : `${tool.availability}s`],
      ["time limit", `${tool.timeoutMs / 1000} s`],
      ["warnings", tool.warnings.join("; ") || null],
      ["agents", tool.agents.join(", ") || "none; give it with toolkeep agent edit or a toolbox"],
    ])}\n${printable(tool.description)}\n\narguments:\n${printable(JSON.stringify(tool.inputSchema, null, 2))}\n`,
  );
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
