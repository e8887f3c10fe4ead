import type { Command } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type ShellName = (typeof SHELLS)[number];

interface Word {
  readonly text: string;
  readonly summary: string;
}

/** The words that can follow a command. `path` is `""`, `agent`, `agent list` … */
interface CompletionContext {
  readonly path: string;
  readonly words: readonly Word[];
}

/** A shell script that completes the commands and options of `program`. */
export function completionScript(shell: ShellName, program: Command): string {
  return WRITERS[shell](program.name(), collectContexts(program, ""));
}

const WRITERS: Readonly<Record<ShellName, (name: string, places: readonly CompletionContext[]) => string>> = {
  bash: (name, all) => `# bash completion for ${name}
_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" at="" word words="" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    [ "$word" = "--" ] && return
    case "\${at:+$at }$word" in
      ${joinPaths(all, quote)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${all.map((place) => `    ${quote(place.path)}) words=${quote(place.words.map((word) => word.text).join(" "))} ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${name} ${name}
`,

  zsh: (name, all) => `#compdef ${name}
_${name}() {
  local at="" word
  local -a described
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ "$word" == "--" ]] && { _default; return }
    case "\${at:+$at }$word" in
      ${joinPaths(all, quote)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${all.map((place) => `    ${quote(place.path)}) described=(${place.words.map(formatZshWord).join(" ")}) ;;`).join("\n")}
  esac
  _describe ${name} described || _default
}
compdef _${name} ${name}
`,

  fish: (name, all) => `# fish completion for ${name}
function __fish_${name}_at
    set -l at
    for word in (commandline -opc)[2..-1]
        set -l next (string join ' ' $at $word)
        switch $next
            case ${all
              .filter((place) => place.path !== "")
              .map((place) => quote(place.path))
              .join(" ")}
                set at $at $word
        end
    end
    set -l path (string join ' ' $at)
    test "$path" = "$argv[1]"
end
${all.flatMap((place) => place.words.map((word) => formatFishLine(name, place.path, word))).join("\n")}
`,
};

function collectContexts(command: Command, path: string): CompletionContext[] {
  const children = command.commands;
  const words = [
    ...children.map((child) => ({ text: child.name(), summary: child.summary() || child.description() })),
    ...command.registeredArguments
      .flatMap((argument) => argument.argChoices ?? [])
      .map((choice) => ({ text: choice, summary: "" })),
    ...command.options
      .filter((option) => option.long)
      .map((option) => ({ text: option.long!, summary: option.description })),
    { text: "--help", summary: "Show help" },
  ];
  return [
    { path, words },
    ...children.flatMap((child) =>
      collectContexts(child, path === "" ? child.name() : `${path} ${child.name()}`),
    ),
  ];
}

function joinPaths(all: readonly CompletionContext[], quote: (text: string) => string): string {
  return all
    .filter((place) => place.path !== "")
    .map((place) => quote(place.path))
    .join("|");
}

function formatZshWord({ text, summary }: Word): string {
  return quote(`${text.replaceAll(":", "\\:")}:${summary.replaceAll(":", "\\:")}`);
}

function formatFishLine(name: string, path: string, { text, summary }: Word): string {
  const word = text.startsWith("--") ? `-l ${text.slice(2)}` : `-f -a ${text}`;
  return `complete -c ${name} -n "__fish_${name}_at '${path}'" ${word} -d ${quoteFish(summary)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function quoteFish(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
