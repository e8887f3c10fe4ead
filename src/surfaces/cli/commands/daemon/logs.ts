import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { remoteDaemon } from "../../client/remote.ts";
import { homeHere } from "../../home.ts";
import { wholeNumber } from "../../input/server-options.ts";
import type { Run, Shell } from "../../shell.ts";

interface LogsOptions {
  readonly follow?: boolean;
  readonly lines: string;
}

export function logsCommand(shell: Shell): Command {
  return shell
    .single(
      "logs",
      "show the log of the daemon",
      "Shows the last lines of daemon.log in the home, without secrets. What servers write is shown by toolkeep server logs.",
      showLogs,
      "",
      "--follow --lines 10",
    )
    .option("-f, --follow", "go on until Ctrl-C; with --json one line of JSON for each")
    .option("-n, --lines <n>", "how many of the last lines", "100");
}

async function showLogs(run: Run, options: LogsOptions): Promise<undefined> {
  const { terminal, json } = run;
  if (remoteDaemon(terminal.env))
    throw new ToolkeepError("BAD_USAGE", "the log is on the machine of the daemon that TOOLKEEP_URL names");
  const count = wholeNumber(options.lines, "--lines", 1, 100_000);
  const home = await homeHere(terminal);
  const { followLog, lastLogLines } = await import("../../../daemon/log/read-log.ts");
  const { humanLine } = await import("../../../daemon/log/log.ts");
  const lines = await lastLogLines(home, count);
  if (!options.follow) {
    const none = `No daemon has written ${home}/daemon.log yet.\n`;
    run.print({ lines: lines.map(parsed) }, lines.length === 0 ? none : lines.map(humanLine).join(""));
    return;
  }
  const show = (line: string) => terminal.out(json ? `${JSON.stringify(parsed(line))}\n` : humanLine(line));
  for (const line of lines) show(line);
  for await (const line of followLog(home, terminal.signal)) show(line);
}

/** A line that a crash cut is no JSON. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return { msg: line };
  }
}
