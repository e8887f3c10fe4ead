import { randomBytes } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "../../lib/json.ts";

const FILE = "daemon.json";
/** A closed port is refused at once; only a busy machine takes this long to answer. */
const HEALTH_TIMEOUT_MS = 10_000;

/**
 * Tells other processes of the same user how to reach the daemon of a home. The token is valid until the daemon ends.
 */
export interface DaemonInfo {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
  readonly startedAt: number;
}

/** Only the owner can read the file. A reader sees the whole new file or the whole previous one. */
export async function writeDaemonFile(home: string, info: DaemonInfo): Promise<void> {
  const path = join(home, FILE);
  const temporary = `${path}.${randomBytes(4).toString("hex")}`;
  await writeFile(temporary, `${JSON.stringify(info, null, 2)}\n`, { mode: 0o600 });
  await rename(temporary, path);
}

export async function removeDaemonFile(home: string): Promise<void> {
  await rm(join(home, FILE), { force: true });
}

/** Finds the running daemon of this home. A file left by a daemon that was killed counts as none. */
export async function findDaemon(home: string, signal?: AbortSignal): Promise<DaemonInfo | undefined> {
  const info = await readDaemonFile(home);
  if (!info || !isAlive(info.pid)) return undefined;
  return (await isHealthy(info.url, signal)) ? info : undefined;
}

/** Whether a Toolkeep daemon answers at this address in time. */
async function isHealthy(url: string, signal?: AbortSignal): Promise<boolean> {
  const timeout = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
  try {
    const response = await fetch(`${url}/health`, {
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const health: unknown = await response.json();
    return isRecord(health) && health.status === "ok";
  } catch {
    signal?.throwIfAborted();
    return false;
  }
}

async function readDaemonFile(home: string): Promise<DaemonInfo | undefined> {
  try {
    const info: unknown = JSON.parse(await readFile(join(home, FILE), "utf8"));
    return isDaemonInfo(info) ? info : undefined;
  } catch {
    return undefined;
  }
}

function isDaemonInfo(value: unknown): value is DaemonInfo {
  return (
    isRecord(value) &&
    Number.isInteger(value.pid) &&
    typeof value.url === "string" &&
    typeof value.token === "string" &&
    typeof value.startedAt === "number"
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
