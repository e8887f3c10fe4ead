import { setTimeout as sleep } from "node:timers/promises";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { path, query } from "../../../../lib/http/api-path.ts";
import { oneLine } from "../../../../lib/terminal/printable.ts";
import type { ServerLogEntry, ServerLogPage } from "../../../api/contract.ts";
import { findDaemon } from "../../../daemon/daemon-file.ts";
import { readRemoteDaemon } from "../../client/remote.ts";
import { findHome } from "../../home.ts";
import type { Group, Run } from "../../shell.ts";

interface LogOptions {
  readonly follow?: boolean;
  readonly lines: string;
}

const POLL_MS = 1_000;

export function serverLogsCommand(server: Group): void {
  server
    .leaf(
      "logs <name>",
      "Show a server's logs and state changes",
      showLogs,
      "github",
      "github --follow --lines 10",
    )
    .option("-f, --follow", "Keep printing new entries until Ctrl-C; with --json, one per line")
    .option("-n, --lines <n>", "Number of lines to show", "100");
}

async function showLogs(run: Run, name: string, options: LogOptions): Promise<undefined> {
  if (!/^[1-9]\d{0,5}$/.test(options.lines))
    throw new ToolkeepError(
      "BAD_USAGE",
      `--lines must be a whole number from 1; got ${JSON.stringify(options.lines)}`,
    );
  await requireDaemon(run);
  const first = await readPage(run, name, { lines: Number(options.lines) });
  if (options.follow) return await followLogs(run, name, first);
  run.print(first, first.entries.length === 0 ? "No log entries yet.\n" : formatEntries(first));
}

/** Only the process that runs a server keeps its logs. Without a daemon, this command would see only its own start of the server. */
async function requireDaemon({ terminal }: Run): Promise<void> {
  if (readRemoteDaemon(terminal.env)) return;
  if (await findDaemon(await findHome(terminal), terminal.signal)) return;
  throw new ToolkeepError(
    "DAEMON_UNREACHABLE",
    "server logs are kept by the daemon, which is not running; start it with toolkeep serve",
  );
}

async function followLogs(run: Run, name: string, first: ServerLogPage): Promise<undefined> {
  const { signal } = run.terminal;
  try {
    for (let page = first; ; page = await readPage(run, name, { since: page.cursor })) {
      run.terminal.out(run.json ? formatJsonLines(page) : formatEntries(page));
      await sleep(POLL_MS, undefined, { signal });
    }
  } catch (error) {
    // Ctrl-C is the normal way to end this command.
    if (!signal.aborted) throw error;
  }
}

function readPage(run: Run, name: string, range: { since?: number; lines?: number }): Promise<ServerLogPage> {
  return run.get<ServerLogPage>(`${path`/api/servers/${name}`}/logs${query(range)}`);
}

function formatEntries({ entries }: ServerLogPage): string {
  return entries
    .map((entry) => `${formatTime(entry.at)}  ${formatKind(entry).padEnd(8)} ${oneLine(entry.text)}\n`)
    .join("");
}

function formatKind({ kind, level, count }: ServerLogEntry): string {
  if (kind === "message") return level ?? kind;
  return count !== undefined && count > 1 ? `junk ×${count}` : kind;
}

function formatJsonLines({ entries }: ServerLogPage): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

/** Date and time in the local time zone. */
function formatTime(at: number): string {
  const time = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${date} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":")}`;
}
