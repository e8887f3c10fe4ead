import { setTimeout as sleep } from "node:timers/promises";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { path, query } from "../../../../lib/http/api-path.ts";
import { oneLine } from "../../../../lib/terminal/printable.ts";
import type { ServerLogEntry, ServerLogPage } from "../../../api/contract.ts";
import { findDaemon } from "../../../daemon/daemon-file.ts";
import { remoteDaemon } from "../../client/remote.ts";
import { homeHere } from "../../home.ts";
import type { Group, Run } from "../../shell.ts";

interface LogOptions {
  readonly follow?: boolean;
  readonly lines: string;
}

const LOOK_EVERY_MS = 1_000;

export function serverLogsCommand(server: Group): void {
  server
    .leaf(
      "logs <name>",
      "what a server wrote beside its answers, and what became of it",
      showLogs,
      "github",
      "github --follow --lines 10",
    )
    .option("-f, --follow", "go on until Ctrl-C; with --json one entry a line")
    .option("-n, --lines <n>", "how many of the last lines", "100");
}

async function showLogs(run: Run, name: string, options: LogOptions): Promise<undefined> {
  if (!/^[1-9]\d{0,5}$/.test(options.lines))
    throw new ToolkeepError("BAD_USAGE", `--lines is a number from 1; got ${JSON.stringify(options.lines)}`);
  await mustHaveDaemon(run);
  const first = await page(run, name, { lines: Number(options.lines) });
  if (options.follow) return await follow(run, name, first);
  run.print(first, first.entries.length === 0 ? "It has not said anything yet.\n" : text(first));
}

/** What servers say is kept by the process that runs them: a command without a daemon would only see its own start. */
async function mustHaveDaemon({ terminal }: Run): Promise<void> {
  if (remoteDaemon(terminal.env)) return;
  if (await findDaemon(await homeHere(terminal), terminal.signal)) return;
  throw new ToolkeepError("DAEMON_UNREACHABLE", "the daemon keeps what servers write, and it does not run");
}

async function follow(run: Run, name: string, first: ServerLogPage): Promise<undefined> {
  const { signal } = run.terminal;
  try {
    for (let seen = first; ; seen = await page(run, name, { since: seen.cursor })) {
      run.terminal.out(run.json ? jsonLines(seen) : text(seen));
      await sleep(LOOK_EVERY_MS, undefined, { signal });
    }
  } catch (error) {
    // Ctrl-C is how this ends.
    if (!signal.aborted) throw error;
  }
}

function page(run: Run, name: string, asked: { since?: number; lines?: number }): Promise<ServerLogPage> {
  return run.get<ServerLogPage>(`${path`/api/servers/${name}`}/logs${query(asked)}`);
}

function text({ entries }: ServerLogPage): string {
  return entries
    .map((entry) => `${timeOf(entry.at)}  ${kindOf(entry).padEnd(8)} ${oneLine(entry.text)}\n`)
    .join("");
}

function kindOf({ kind, level, count }: ServerLogEntry): string {
  if (kind === "message") return level ?? kind;
  return count !== undefined && count > 1 ? `junk ×${count}` : kind;
}

function jsonLines({ entries }: ServerLogPage): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

/** As clocks here show it. */
function timeOf(at: number): string {
  const time = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${date} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":")}`;
}
