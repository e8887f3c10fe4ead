import type { Command } from "commander";
import { ToolkeepError } from "../../errors.ts";
import { completionScript, SHELLS, type ShellName } from "../completion.ts";
import { examples, type Run, type Shell, single } from "../shell.ts";

export function completionCommand(shell: Shell): Command {
  const command = single(
    "completion",
    "print the completion script of a shell",
    "Prints a script that completes commands and options.",
  ).argument("<shell>", SHELLS.join(", "));
  command.action(shell.action((run: Run, name: string) => completion(run, name, command)));
  return examples(
    command,
    "completion bash > ~/.local/share/bash-completion/completions/toolkeep",
    "completion zsh > ~/.zfunc/_toolkeep",
    "completion fish > ~/.config/fish/completions/toolkeep.fish",
  );
}

async function completion(run: Run, name: string, command: Command): Promise<undefined> {
  if (!(SHELLS as readonly string[]).includes(name)) {
    throw new ToolkeepError("BAD_USAGE", `completion is written for ${SHELLS.join(", ")}; got ${name}`);
  }
  const script = completionScript(name as ShellName, command.parent!);
  run.print({ shell: name, script }, script);
}
