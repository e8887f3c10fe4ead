import type { Command } from "commander";
import { ago } from "../../../../lib/terminal/ago.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { fields } from "../../../../lib/terminal/table.ts";
import type { ServerList, Status } from "../../../api/contract.ts";
import { findDaemon } from "../../../daemon/daemon-file.ts";
import { readRemoteDaemon } from "../../client/remote.ts";
import { findHome } from "../../home.ts";
import { formatState, suggestNextStep } from "../../print/server-text.ts";
import type { Run, Shell } from "../../shell.ts";

const NOT_RUNNING = 5;
const MOST_SHOWN = 5;

export function statusCommand(shell: Shell): Command {
  return shell.single(
    "status",
    "Show whether the daemon is running and what needs you",
    "Show whether the daemon is running, its address and uptime, its servers, and what is waiting for a person. Exits with 5 if it is not running.",
    status,
  );
}

async function status(run: Run): Promise<number> {
  const { terminal } = run;
  const remote = readRemoteDaemon(terminal.env);
  const home = await findHome(terminal);
  const daemon = remote ? undefined : await findDaemon(home, terminal.signal);
  if (!remote && !daemon) {
    run.print(
      { running: false, home },
      `${fields([
        ["daemon", "not running"],
        ["home", home],
      ])}Start it: toolkeep serve, or at every login: toolkeep service install\n`,
    );
    return NOT_RUNNING;
  }
  const state = await run.get<Status>("/api/status");
  const { servers } = await run.get<ServerList>("/api/servers");
  const pid = daemon === undefined ? {} : { pid: daemon.pid };
  run.print({ running: true, ...pid, ...state }, formatStatus(state, servers, daemon?.pid));
  return 0;
}

function formatStatus(state: Status, servers: ServerList["servers"], pid: number | undefined): string {
  const now = Date.now();
  const hints = servers.flatMap((server) => {
    const next = server.enabled ? suggestNextStep(server) : undefined;
    return next === undefined ? [] : [`${server.name} (${formatState(server)}): ${next}\n`];
  });
  const more = hints.length > MOST_SHOWN ? `… and ${hints.length - MOST_SHOWN} more servers\n` : "";
  return `${fields([
    ["daemon", pid === undefined ? "running" : `running, process ${pid}`],
    ["address", state.url],
    ["started", ago(now - state.uptimeMs, now)],
    ["version", state.version],
    ["home", state.home],
    ["store", state.store === "sqlite" ? "SQLite" : "PostgreSQL"],
    ["servers", formatServerCounts(servers)],
    ["tools", state.tools],
    ["agents", state.agents],
    ["waiting", formatWaiting(state)],
  ])}${hints.slice(0, MOST_SHOWN).join("")}${more}`;
}

/** `5: 3 ready, 1 idle, 1 failed`. */
function formatServerCounts(servers: ServerList["servers"]): string {
  const counts = new Map<string, number>();
  for (const server of servers) counts.set(formatState(server), (counts.get(formatState(server)) ?? 0) + 1);
  const parts = [...counts].map(([state, count]) => `${count} ${state}`);
  return servers.length === 0 ? "none" : `${servers.length}: ${parts.join(", ")}`;
}

function formatWaiting({ pendingQuestions, notifications }: Status): string {
  const parts = [
    ...(pendingQuestions === 0 ? [] : [`${counted(pendingQuestions, "question")} (toolkeep question list)`]),
    ...(notifications === 0
      ? []
      : [`${counted(notifications, "notification")} (toolkeep notification list)`]),
  ];
  return parts.join(", ") || "nothing";
}
