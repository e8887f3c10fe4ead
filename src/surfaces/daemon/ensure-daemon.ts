import { spawn } from "node:child_process";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ToolkeepError } from "../../contract/errors.ts";
import { makeFolder } from "../../machine/files/make-folder.ts";
import { ownBin } from "../../machine/process/own-package.ts";
import { type DaemonInfo, findDaemon } from "./daemon-file.ts";
import { LOG_FILE } from "./log/log-file.ts";

const START_LIMIT_MS = 15_000;
const LOOK_EVERY_MS = 100;
/** The exit code of a daemon that found the home taken: somebody else's is on its way up. */
const ALREADY_RUNNING = 6;

/**
 * The daemon of this home, started in the background where none runs. Several callers at once end up with the same
 * one, because only one of the daemons they start gets the lock. Throws DAEMON_UNREACHABLE after 15 s.
 */
export async function ensureDaemon(
  home: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<DaemonInfo> {
  const running = await findDaemon(home, signal);
  if (running) return running;

  const logFile = join(home, LOG_FILE);
  const exited = await spawnDaemon(home, env, logFile);
  const deadline = performance.now() + START_LIMIT_MS;
  while (performance.now() < deadline) {
    const daemon = await findDaemon(home, signal);
    if (daemon) return daemon;
    const code = exited();
    if (code !== undefined && code !== ALREADY_RUNNING)
      throw await failed(`ended with code ${code}`, logFile);
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
  throw await failed(`does not answer after ${START_LIMIT_MS / 1000} s`, logFile);
}

/** Returns the function that tells the daemon's exit code, once it has one. */
async function spawnDaemon(
  home: string,
  env: NodeJS.ProcessEnv,
  logFile: string,
): Promise<() => number | undefined> {
  await makeFolder(home);
  // Its own log goes there by itself; this is for what it says when it cannot start.
  const log = await open(logFile, "a", 0o600);
  try {
    const bin = ownBin();
    // The token is the client's, not the daemon's; and which client came first must not choose the project file.
    const { TOOLKEEP_TOKEN: _, ...daemonEnv } = env;
    const child = spawn(process.execPath, [bin, "serve", "--background"], {
      cwd: home,
      env: { ...daemonEnv, TOOLKEEP_HOME: home },
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
    });
    let code: number | undefined;
    child.once("exit", (exitCode) => {
      code = exitCode ?? 1;
    });
    child.once("error", () => {
      code = 1;
    });
    child.unref();
    return () => code;
  } finally {
    await log.close();
  }
}

async function failed(what: string, logFile: string): Promise<ToolkeepError> {
  const lines = (await readFile(logFile, "utf8").catch(() => "")).trimEnd().split("\n").slice(-5).join("\n");
  return new ToolkeepError(
    "DAEMON_UNREACHABLE",
    `the daemon started in the background ${what}; ${logFile} says:\n${lines}`,
  );
}
