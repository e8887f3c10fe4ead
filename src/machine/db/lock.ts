import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ToolkeepError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { makeFolder } from "../files/make-folder.ts";
import { unavailable } from "./database.ts";
import { type DatabaseSync, openDatabaseSync, sqliteCode } from "./sqlite/database-sync.ts";

export interface LockOptions {
  /** Shown to other processes that find the home locked. */
  readonly holder: "daemon" | "cli" | "library";
  /** How long to wait for it; zero tries once. */
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

export interface HomeLock {
  release(): Promise<void>;
}

const RETRY_MS = 50;
const SQLITE_BUSY = 5;

/**
 * Takes the home for this process alone, whichever database is used. The lock is a transaction on `lock.db`, so the
 * operating system gives it back when the process ends, however it ends. Throws STORE_LOCKED when another process has
 * it, and the signal's reason when that aborts.
 */
export async function lockHome(home: string, options: LockOptions): Promise<HomeLock> {
  const database = await openLockFile(home);
  try {
    await takeLock(database, home, options);
    await writeHolder(home, options.holder);
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    async release() {
      // While it is still ours: after the close it would be the next holder's note.
      await rm(holderFile(home), { force: true });
      database.close();
    },
  };
}

async function openLockFile(home: string): Promise<DatabaseSync> {
  const file = join(home, "lock.db");
  try {
    await makeFolder(home);
    return await openDatabaseSync(file);
  } catch (error) {
    throw unavailable(error, file);
  }
}

async function takeLock(
  database: DatabaseSync,
  home: string,
  { waitMs, signal }: LockOptions,
): Promise<void> {
  // SQLite's own waiting would block this thread.
  database.exec("pragma busy_timeout = 0");
  const deadline = performance.now() + waitMs;
  for (;;) {
    signal?.throwIfAborted();
    if (beganExclusive(database, home)) return;
    if (performance.now() >= deadline) throw await locked(home);
    await sleep(RETRY_MS, undefined, { signal });
  }
}

function beganExclusive(database: DatabaseSync, home: string): boolean {
  try {
    database.exec("begin exclusive");
    return true;
  } catch (error) {
    if (sqliteCode(error)?.primary === SQLITE_BUSY) return false;
    throw unavailable(error, join(home, "lock.db"));
  }
}

async function writeHolder(home: string, holder: LockOptions["holder"]): Promise<void> {
  const file = holderFile(home);
  await writeFile(`${file}.new`, JSON.stringify({ pid: process.pid, holder }), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function locked(home: string): Promise<ToolkeepError> {
  const holder = await readHolder(home);
  const who = holder ? `the ${NAMES[holder.holder]} with process id ${holder.pid}` : "another process";
  return new ToolkeepError(
    "STORE_LOCKED",
    `${home} is in use by ${who}.`,
    holder ? { details: { ...holder } } : {},
  );
}

const NAMES = {
  library: "program that embeds Toolkeep",
  daemon: "toolkeep daemon",
  cli: "toolkeep command",
};

/** Undefined if the note is missing or not written yet. It only serves the message. */
async function readHolder(home: string): Promise<{ pid: number; holder: LockOptions["holder"] } | undefined> {
  try {
    const note: unknown = JSON.parse(await readFile(holderFile(home), "utf8"));
    if (!isRecord(note) || typeof note.pid !== "number") return undefined;
    return { pid: note.pid, holder: note.holder === "daemon" ? "daemon" : "cli" };
  } catch {
    return undefined;
  }
}

const holderFile = (home: string) => join(home, "lock.json");
