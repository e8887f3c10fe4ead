import type { Command } from "commander";
import { ago } from "../../../../lib/terminal/ago.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { fields } from "../../../../lib/terminal/table.ts";
import type { ServerList, Status } from "../../../api/contract.ts";
import { findDaemon } from "../../../daemon/daemon-file.ts";
import { remoteDaemon } from "../../client/remote.ts";
import { homeHere } from "../../home.ts";
import { nextStep, stateText } from "../../print/server-text.ts";
import type { Run, Shell } from "../../shell.ts";

const NOT_RUNNING = 5;
const MOST_SHOWN = 5;

export function statusCommand(shell: Shell): Command {
  return shell.single(
    "status",
    "say whether the daemon runs, and what needs you",
    "Says whether the daemon runs, where, since when, what is behind it and what waits for a person. Exit code 5 when it does not run.",
    status,
  );
}

async function status(run: Run): Promise<number> {
  const { terminal } = run;
  const remote = remoteDaemon(terminal.env);
  const home = await homeHere(terminal);
  const daemon = remote ? undefined : await findDaemon(home, terminal.signal);
  if (!remote && !daemon) {
    run.print(
      { running: false, home },
      `${fields([
        ["daemon", "not running"],
        ["home", home],
      ])}Start it: toolkeep serve, or toolkeep service install\n`,
    );
    return NOT_RUNNING;
  }
  const found = await run.get<Status>("/api/status");
  const { servers } = await run.get<ServerList>("/api/servers");
  const pid = daemon === undefined ? {} : { pid: daemon.pid };
  run.print({ running: true, ...pid, ...found }, text(found, servers, daemon?.pid));
  return 0;
}

function text(found: Status, servers: ServerList["servers"], pid: number | undefined): string {
  const now = Date.now();
  const troubled = servers.flatMap((server) => {
    const next = server.enabled ? nextStep(server) : undefined;
    return next === undefined ? [] : [`${server.name} (${stateText(server)}): ${next}\n`];
  });
  const more = troubled.length > MOST_SHOWN ? `… and ${troubled.length - MOST_SHOWN} more servers\n` : "";
  return `${fields([
    ["daemon", pid === undefined ? "running" : `running, process ${pid}`],
    ["address", found.url],
    ["started", ago(now - found.uptimeMs, now)],
    ["version", found.version],
    ["home", found.home],
    ["store", found.store === "sqlite" ? "SQLite" : "PostgreSQL"],
    ["servers", serverCounts(servers)],
    ["tools", found.tools],
    ["agents", found.agents],
    ["waiting", waiting(found)],
  ])}${troubled.slice(0, MOST_SHOWN).join("")}${more}`;
}

/** `5: 3 ready, 1 idle, 1 failed`. */
function serverCounts(servers: ServerList["servers"]): string {
  const counts = new Map<string, number>();
  for (const server of servers) counts.set(stateText(server), (counts.get(stateText(server)) ?? 0) + 1);
  const parts = [...counts].map(([state, count]) => `${count} ${state}`);
  return servers.length === 0 ? "none" : `${servers.length}: ${parts.join(", ")}`;
}

function waiting({ pendingQuestions, notifications }: Status): string {
  const parts = [
    ...(pendingQuestions === 0 ? [] : [`${counted(pendingQuestions, "question")} (toolkeep question list)`]),
    ...(notifications === 0
      ? []
      : [`${counted(notifications, "notification")} (toolkeep notification list)`]),
  ];
  return parts.join(", ") || "nothing";
}
