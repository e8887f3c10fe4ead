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
import { confirmed } from "../../input/confirmed.ts";
import { destructive } from "../../input/destructive.ts";
import { customToolFields } from "../../print/custom-tool-text.ts";
import type { Group, Run } from "../../shell.ts";
import { makeCall } from "./call.ts";

/** Adds to `toolkeep tool` what there is for the user's own scripts. */
export function customToolCommands(tool: Group): void {
  tool
    .leaf(
      "new <name>",
      "write a custom tool, a script of your own, that works and is yours to change",
      newTool,
      "csv_stats --lang py",
    )
    .addOption(new Option("--lang <language>", "what to write it in").choices([...LANGUAGES]).default("sh"));
  tool.leaf(
    "test <name> [arguments...]",
    "run a custom tool as it is now, enabled or not",
    testTool,
    "csv_stats path=numbers.csv",
  );
  tool
    .leaf(
      "enable <name>",
      "show a custom tool and let agents call it, with exactly the content it has now",
      enableTool,
      "csv_stats",
    )
    .option("--yes", "do not ask");
  tool.leaf("disable <name>", "let nobody call a custom tool", disableTool, "csv_stats");
  destructive(
    tool,
    "remove <name>",
    "disable a custom tool and put its folder aside",
    (name) => `Remove tool ${name}? Its folder is put aside.`,
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
    `Wrote ${tool.name}:\n${files}Change it, try it and enable it:\n  toolkeep tool test ${tool.slug} name=you\n  toolkeep tool enable ${tool.slug}\n`,
  );
}

async function testTool(run: Run, name: string, given: string[]): Promise<number> {
  const body: CustomToolTrial = { arguments: await readArguments(given, run.terminal) };
  const place = `${path`/api/custom-tools/${name}`}/try`;
  return makeCall(run, { place, name, body }, (outcome) => run.terminal.err(errorOutput(outcome)));
}

/** What a script that worked said beside its answer; of one that failed it is part of the outcome. */
function errorOutput({ outcome, meta }: ToolOutcome): string {
  const said = typeof meta?.stderr === "string" ? meta.stderr.trimEnd() : "";
  return outcome === "ok" && said !== "" ? `standard error:\n${printable(said)}\n` : "";
}

/** Enables what it shows: a change that is made meanwhile is refused. */
async function enableTool(run: Run, name: string, { yes }: { yes?: boolean }): Promise<undefined> {
  const place = path`/api/custom-tools/${name}`;
  const seen = await run.get<CustomToolAnswer>(place);
  const { tool } = seen;
  if (tool.enabled !== null && tool.enabled.sha256 === tool.sha256) {
    run.print(seen, `${tool.name} is enabled already, with what is in its folder now.\n${stateNote(tool)}`);
    return;
  }
  if (tool.sha256 === null || tool.wants === null) throw unusable(tool);
  run.terminal.err(`${shown(tool)}\n`);
  if (!yes) {
    await confirmed(run, `Let agents run this, with the rights of the user that Toolkeep runs as?`, {
      first: `reading what is in ${tool.folder}`,
      no: `${tool.name} was not enabled`,
      initially: false,
    });
  }
  const answer = await run.send<CustomToolAnswer>("POST", `${place}/enable`, { sha256: tool.sha256 });
  run.print(
    answer,
    `Enabled ${tool.name}. Agents with * have it now; give it to others: toolkeep agent edit AGENT --grant ${tool.name}\n${stateNote(answer.tool)}`,
  );
}

function shown(tool: CustomToolView): string {
  const description = printable(tool.wants?.description ?? "");
  return `${fields([["name", tool.name], ...customToolFields(tool, Date.now())])}\n${description}\n`;
}

function unusable({ status, folder }: CustomToolView): ToolkeepError {
  const why = status.kind === "active" ? "it has no folder" : status.reason;
  return new ToolkeepError("BAD_REQUEST", why, { remedy: `Correct what is in ${folder} and try again.` });
}

/** What still stands in the way of a call. */
function stateNote({ status }: CustomToolView): string {
  return status.kind === "active" ? "" : `${printable(status.reason)}\n`;
}

async function disableTool(run: Run, name: string): Promise<undefined> {
  const answer = await run.send<CustomToolAnswer>("POST", `${path`/api/custom-tools/${name}`}/disable`);
  run.print(answer, `Disabled ${answer.tool.name}. Its folder stays: ${answer.tool.folder}\n`);
}

async function removeTool(run: Run, name: string): Promise<undefined> {
  const answer = await run.send<CustomToolRemoved>("DELETE", path`/api/custom-tools/${name}`);
  const place = answer.folder === null ? "" : ` Its folder is ${answer.folder} now.`;
  run.print(answer, `Removed ${name}.${place}\n`);
}
