import { Argument, type Command } from "commander";
import { completionScript, SHELLS, type ShellName } from "../../completion.ts";
import type { Run, Shell } from "../../shell.ts";

export function completionCommand(shell: Shell): Command {
  const command: Command = shell
    .single(
      "completion",
      "print the completion script of a shell",
      "Prints a script that completes commands and options.",
      (run: Run, name: ShellName) => completion(run, name, command),
      "bash > ~/.local/share/bash-completion/completions/toolkeep",
      "zsh > ~/.zfunc/_toolkeep",
      "fish > ~/.config/fish/completions/toolkeep.fish",
    )
    .addArgument(new Argument("<shell>", "the shell to write it for").choices(SHELLS));
  return command;
}

async function completion(run: Run, name: ShellName, command: Command): Promise<undefined> {
  const script = completionScript(name, command.parent!);
  run.print({ shell: name, script }, script);
}
