import { Option } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { LANGUAGES } from "../../../../features/custom-tools/templates.ts";
import { path } from "../../../../lib/http/api-path.ts";
import { printable } from "../../../../lib/terminal/printable.ts";
import { fields } from "../../../../lib/terminal/table.ts";
import type {
  CustomToolAnswer,
  CustomToolRemoved,
  CustomToolTrial,
  CustomToolView,
  NewCustomTool,
  ToolOutcome,
} from "../../../api/contract.ts";
import { readArguments } from "../../input/arguments.ts";
import { requireConfirmation } from "../../input/confirm.ts";
import { destructive } from "../../input/destructive.ts";
import { listCustomToolFields } from "../../print/custom-tool-text.ts";
import type { Group, Run } from "../../shell.ts";
import { makeCall } from "./call.ts";

/** Adds the commands for custom tools to `toolkeep tool`. */
export function customToolCommands(tool: Group): void {
  tool
    .leaf("new <name>", "Create a custom tool from a working script template", newTool, "csv_stats --lang py")
    .addOption(
      new Option("--lang <language>", "Language of the script").choices([...LANGUAGES]).default("sh"),
    );
  tool.leaf(
    "test <name> [arguments...]",
    "Run a custom tool as it is now, enabled or not",
    testTool,
    "csv_stats path=numbers.csv",
  );
  tool
    .leaf(
      "enable <name>",
      "Review a custom tool and enable it with its current content",
      enableTool,
      "csv_stats",
    )
    .option("--yes", "Skip the confirmation");
  tool.leaf("disable <name>", "Disable a custom tool", disableTool, "csv_stats");
  destructive(
    tool,
    "remove <name>",
    "Disable a custom tool and move its folder aside",
    (name) => `Remove tool ${name}? Its folder is moved aside.`,
    removeTool,
    "csv_stats",
  );
}

async function newTool(
  run: Run,
  name: string,
  { lang }: { lang: NewCustomTool["language"] },
): Promise<undefined> {
  const body: NewCustomTool = { name, ...(lang === undefined ? {} : { language: lang }) };
  const answer = await run.send<CustomToolAnswer>("POST", "/api/custom-tools", body);
  const { tool } = answer;
  const files = tool.files.map((file) => `  ${tool.folder}/${file.path}\n`).join("");
  run.print(
    answer,
    `Wrote ${tool.name}:\n${files}Edit it, then test and enable it:\n  toolkeep tool test ${tool.slug} name=you\n  toolkeep tool enable ${tool.slug}\n`,
  );
}

async function testTool(run: Run, name: string, words: string[]): Promise<number> {
  const body: CustomToolTrial = { arguments: await readArguments(words, run.terminal) };
  const route = `${path`/api/custom-tools/${name}`}/try`;
  return makeCall(run, { route, name, body }, (outcome) => run.terminal.err(formatStderr(outcome)));
}

/** The standard error of a script that succeeded. If it failed, the outcome already contains it. */
function formatStderr({ outcome, meta }: ToolOutcome): string {
  const stderr = typeof meta?.stderr === "string" ? meta.stderr.trimEnd() : "";
  return outcome === "ok" && stderr !== "" ? `standard error:\n${printable(stderr)}\n` : "";
}

/** Enables exactly what it shows: if the folder changes meanwhile, the daemon refuses. */
async function enableTool(run: Run, name: string, { yes }: { yes?: boolean }): Promise<undefined> {
  const route = path`/api/custom-tools/${name}`;
  const current = await run.get<CustomToolAnswer>(route);
  const { tool } = current;
  if (tool.enabled !== null && tool.enabled.sha256 === tool.sha256) {
    run.print(
      current,
      `${tool.name} is already enabled with its current content.\n${formatStatusNote(tool)}`,
    );
    return;
  }
  if (tool.sha256 === null || tool.wants === null) throw unusableError(tool);
  run.terminal.err(`${formatTool(tool)}\n`);
  if (!yes) {
    await requireConfirmation(
      run,
      `Let agents run this script with the rights of the user that runs Toolkeep?`,
      {
        first: `reviewing ${tool.folder}`,
        refused: `${tool.name} was not enabled`,
        initialValue: false,
      },
    );
  }
  const answer = await run.send<CustomToolAnswer>("POST", `${route}/enable`, { sha256: tool.sha256 });
  run.print(
    answer,
    `Enabled ${tool.name}. Agents with * can call it now. Grant it to others: toolkeep agent edit AGENT --grant ${tool.name}\n${formatStatusNote(answer.tool)}`,
  );
}

function formatTool(tool: CustomToolView): string {
  const description = printable(tool.wants?.description ?? "");
  return `${fields([["name", tool.name], ...listCustomToolFields(tool, Date.now())])}\n${description}\n`;
}

function unusableError({ status, folder }: CustomToolView): ToolkeepError {
  const why = status.kind === "active" ? "it has no folder" : status.reason;
  return new ToolkeepError("BAD_REQUEST", why, { remedy: `Fix the files in ${folder} and try again.` });
}

/** Why the tool still cannot be called; empty if it can. */
function formatStatusNote({ status }: CustomToolView): string {
  return status.kind === "active" ? "" : `${printable(status.reason)}\n`;
}

async function disableTool(run: Run, name: string): Promise<undefined> {
  const answer = await run.send<CustomToolAnswer>("POST", `${path`/api/custom-tools/${name}`}/disable`);
  run.print(answer, `Disabled ${answer.tool.name}. Its folder stays: ${answer.tool.folder}\n`);
}

async function removeTool(run: Run, name: string): Promise<undefined> {
  const answer = await run.send<CustomToolRemoved>("DELETE", path`/api/custom-tools/${name}`);
  const folderNote = answer.folder === null ? "" : ` Its folder was moved to ${answer.folder}.`;
  run.print(answer, `Removed ${name}.${folderNote}\n`);
}
