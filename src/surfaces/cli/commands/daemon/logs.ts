import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { readRemoteDaemon } from "../../client/remote.ts";
import { findHome } from "../../home.ts";
import { parseWholeNumber } from "../../input/server-options.ts";
import type { Run, Shell } from "../../shell.ts";

interface LogsOptions {
  readonly follow?: boolean;
  readonly lines: string;
}

export function logsCommand(shell: Shell): Command {
  return shell
    .single(
      "logs",
      "Show the daemon's log",
      "Show the last lines of daemon.log in the home, with secrets removed. For the logs of a server, use toolkeep server logs.",
      showLogs,
      "",
      "--follow --lines 10",
    )
    .option("-f, --follow", "Keep printing new lines until Ctrl-C; with --json, one JSON object per line")
    .option("-n, --lines <n>", "Number of lines to show", "100");
}

async function showLogs(run: Run, options: LogsOptions): Promise<undefined> {
  const { terminal, json } = run;
  if (readRemoteDaemon(terminal.env))
    throw new ToolkeepError(
      "BAD_USAGE",
      "TOOLKEEP_URL names a remote daemon, whose log is on that machine; run toolkeep logs there",
    );
  const count = parseWholeNumber(options.lines, "--lines", 1, 100_000);
  const home = await findHome(terminal);
  const { followLog, readLastLogLines: lastLogLines } = await import("../../../daemon/log/read-log.ts");
  const { formatHumanLine: humanLine } = await import("../../../daemon/log/log.ts");
  const lines = await lastLogLines(home, count);
  if (!options.follow) {
    const emptyText = `No log yet: no daemon has written ${home}/daemon.log.\n`;
    run.print(
      { lines: lines.map(parseLine) },
      lines.length === 0 ? emptyText : lines.map(humanLine).join(""),
    );
    return;
  }
  const show = (line: string) =>
    terminal.out(json ? `${JSON.stringify(parseLine(line))}\n` : humanLine(line));
  for (const line of lines) show(line);
  for await (const line of followLog(home, terminal.signal)) show(line);
}

/** A crash can cut a line short, so a line may not be JSON. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return { msg: line };
  }
}
