import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../../lib/log.ts";

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
/** The most days of records that one day's cleaning removes. A daemon that always runs removes one. */
const MAX_DAYS = 2;
/** Less than a day, so that a daily cleaning is not skipped because it starts a second early. */
const PAUSE_MS = 20 * HOUR_MS;
const FILE = "audit-cleaned";

export interface AuditCleaningDeps {
  readonly home: string;
  readonly oldest: () => Promise<number | undefined>;
  readonly log: Log;
}

/**
 * Returns the time before which audit records may be removed now; undefined removes none. A clock that is far ahead
 * makes every record look old. Therefore one day removes only a few days of records, however often the daemon starts,
 * and the log says that more are due.
 */
export async function findAuditCutoff(
  { home, oldest, log }: AuditCleaningDeps,
  now: number,
  retentionMs: number,
): Promise<number | undefined> {
  const due = now - retentionMs;
  const first = await oldest();
  if (first === undefined || first >= due) return undefined;
  const last = await readLastCleaning(home);
  if (last !== undefined && Math.abs(now - last) < PAUSE_MS) return undefined;
  const cut = Math.min(due, first + MAX_DAYS * DAY_MS);
  if (cut < due) {
    const days = Math.ceil((due - first) / DAY_MS);
    log.warn(
      { days, oldest: new Date(first).toISOString(), now: new Date(now).toISOString() },
      `audit: ${days} days of records are older than their retention; at most ${MAX_DAYS} days of them are removed a day. Check the clock of this machine, or toolkeep audit export them first`,
    );
  }
  await writeLastCleaning(home, now);
  return cut;
}

/** Undefined if there was no cleaning yet or the file cannot be read. */
async function readLastCleaning(home: string): Promise<number | undefined> {
  const text = await readFile(join(home, FILE), "utf8").catch(() => "");
  const at = Number.parseInt(text, 10);
  return Number.isFinite(at) ? at : undefined;
}

async function writeLastCleaning(home: string, now: number): Promise<void> {
  const draft = join(home, `${FILE}.part`);
  await writeFile(draft, `${now}\n`, { mode: 0o600 });
  await rename(draft, join(home, FILE));
}
