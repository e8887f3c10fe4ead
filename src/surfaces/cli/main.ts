import { type Command, CommanderError } from "commander";
import { ToolkeepError } from "../../contract/errors.ts";
import { packageVersion } from "../../machine/process/own-package.ts";
import { createProgram } from "./program.ts";
import { getCommandPath, Shell } from "./shell.ts";
import { processTerminal, type Terminal } from "./terminal.ts";

/** Runs one command line and resolves with its exit code. Exits the process itself only at the second signal. */
export async function main(argv: readonly string[]): Promise<number> {
  const interrupt = new AbortController();
  const onSignal = () => {
    if (interrupt.signal.aborted) process.exit(1);
    interrupt.abort(new ToolkeepError("CANCELLED", "cancelled"));
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  process.stdout.on("error", endOnClosedPipe);
  try {
    return await runCommand(argv, processTerminal(interrupt.signal));
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

/** Like `main`, with any terminal and without touching the process. */
export async function runCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
  const shell = new Shell({
    terminal,
    connect: async () => (await import("./client/connect.ts")).connect(terminal),
  });
  const program = createProgram(shell, packageVersion());
  try {
    if (argv.length === 0) program.help();
    // Older versions used -V.
    await program.parseAsync(argv[0] === "-V" ? ["--version"] : argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0 || argv.length === 0) return 0;
    const command = findTypedCommand(program, argv);
    shell.fail(toUsageError(error, command), argv.includes("--json"), command);
  }
  return shell.exitCode;
}

function toUsageError({ code, message }: CommanderError, command: string): ToolkeepError {
  if (message === "(outputHelp)") return new ToolkeepError("BAD_USAGE", `${command} needs a subcommand`);
  const hint =
    code === "commander.unknownOption" && /server (add|edit)$/.test(command)
      ? `; put the options of the server's own command after --: ${command} NAME -- COMMAND ARGS…`
      : "";
  return new ToolkeepError("BAD_USAGE", `${message.replace(/^error: /, "")}${hint}`);
}

/** The deepest command that the typed words name. */
function findTypedCommand(program: Command, argv: readonly string[]): string {
  let command = program;
  for (const word of argv) {
    const child = command.commands.find((candidate) => candidate.name() === word);
    if (!child) break;
    command = child;
  }
  return getCommandPath(command);
}

/** `toolkeep tool list | head` closes the pipe early, which is not a failure. */
function endOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
}
