import { Argument, type Command } from "commander";
import { completionScript, SHELLS, type ShellName } from "../../completion.ts";
import type { Run, Shell } from "../../shell.ts";

export function completionCommand(shell: Shell): Command {
  const command: Command = shell
    .single(
      "completion",
      "Print a shell completion script",
      "Print a script that completes commands and options.",
      (run: Run, name: ShellName) => printCompletion(run, name, command),
      "bash > ~/.local/share/bash-completion/completions/toolkeep",
      "zsh > ~/.zfunc/_toolkeep",
      "fish > ~/.config/fish/completions/toolkeep.fish",
    )
    .addArgument(new Argument("<shell>", "Your shell").choices(SHELLS));
  return command;
}

async function printCompletion(run: Run, name: ShellName, command: Command): Promise<undefined> {
  const script = completionScript(name, command.parent!);
  run.print({ shell: name, script }, script);
}
