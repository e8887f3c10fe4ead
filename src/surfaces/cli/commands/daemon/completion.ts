import { Argument, type Command } from "commander";
import { completionScript, SHELLS, type ShellName } from "../../completion.ts";
import { examples, type Run, type Shell, single } from "../../shell.ts";

export function completionCommand(shell: Shell): Command {
  const command = single(
    "completion",
    "print the completion script of a shell",
    "Prints a script that completes commands and options.",
  ).addArgument(new Argument("<shell>", "the shell to write it for").choices(SHELLS));
  command.action(shell.action((run: Run, name: ShellName) => completion(run, name, command)));
  return examples(
    command,
    "completion bash > ~/.local/share/bash-completion/completions/toolkeep",
    "completion zsh > ~/.zfunc/_toolkeep",
    "completion fish > ~/.config/fish/completions/toolkeep.fish",
  );
}

async function completion(run: Run, name: ShellName, command: Command): Promise<undefined> {
  const script = completionScript(name, command.parent!);
  run.print({ shell: name, script }, script);
}
