import type { Command } from "commander";
import type { CommandGroup, Command as CommandLeaf, CommandRun } from "../../contract/define-command.ts";
import { asksFirst, withYes } from "./input/destructive.ts";
import { textInput } from "./input/text-input.ts";
import { pageOptions } from "./print/pages.ts";
import { type Action, collect, type Group, type Run, type Shell } from "./shell.ts";

/** The command of a feature, as commander has it. What it does is loaded when it runs. */
export function featureCommand(shell: Shell, { name, summary, commands }: CommandGroup): Command {
  const group = shell.group(name, summary);
  for (const leaf of commands) addLeaf(group, leaf);
  return group;
}

function addLeaf(
  group: Group,
  { usage, summary, examples = [], asks, options = [], ...leaf }: CommandLeaf,
): void {
  const body: Action<string[]> = async (run, ...params) => (await leaf.load())(commandRun(run), ...params);
  const command = group.leaf(usage, summary, asks ? asksFirst(asks, body) : body, ...examples);
  for (const { flags, summary: about, default: preset, isRequired, isRepeatable } of options) {
    if (isRequired) command.requiredOption(flags, about);
    else if (isRepeatable) command.option(flags, about, collect, []);
    else command.option(flags, about, preset);
  }
  if (leaf.isPaged) pageOptions(command);
  if (asks) withYes(command);
}

function commandRun(run: Run): CommandRun {
  return {
    columns: run.terminal.columns,
    get: (path) => run.get(path),
    send: (method, path, body) => run.send(method, path, body),
    print: (value, human) => run.print(value, human),
    readText: (given) => textInput(given, run.terminal),
    progress: (label, work) => run.progress(label, work),
  };
}
