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
const CHECK_EVERY_MS = 100;
/** The exit code of a daemon that found the home locked: another daemon is starting. */
const ALREADY_RUNNING = 6;

/**
 * Finds the daemon of this home, or starts one in the background. Several callers at once get the same one, because
 * only one of the daemons they start gets the lock. Throws DAEMON_UNREACHABLE after 15 s.
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
      throw await createStartError(`ended with code ${code}`, logFile);
    await sleep(CHECK_EVERY_MS, undefined, { signal });
  }
  throw await createStartError(`does not answer after ${START_LIMIT_MS / 1000} s`, logFile);
}

/** Returns a function that gives the daemon's exit code, or undefined while it runs. */
async function spawnDaemon(
  home: string,
  env: NodeJS.ProcessEnv,
  logFile: string,
): Promise<() => number | undefined> {
  await makeFolder(home);
  // The daemon writes its log there itself; this catches the output of one that cannot start.
  const log = await open(logFile, "a", 0o600);
  try {
    const bin = ownBin();
    // The token belongs to the client, not to the daemon. The folder of the first client must not select the project
    // file.
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

async function createStartError(what: string, logFile: string): Promise<ToolkeepError> {
  const lines = (await readFile(logFile, "utf8").catch(() => "")).trimEnd().split("\n").slice(-5).join("\n");
  return new ToolkeepError(
    "DAEMON_UNREACHABLE",
    `the daemon started in the background ${what}; ${logFile} says:\n${lines}`,
  );
}
