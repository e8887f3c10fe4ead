import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Audit } from "../../../call/audit/audit.ts";
import type { AuditStore } from "../../../call/audit/chain/audit-store.ts";
import { OUTPUT_KEPT_MS } from "../../../call/executor/finish.ts";
import type { OutputTable } from "../../../call/executor/tables.ts";
import { TOOL_USE_KEPT_MS } from "../../../call/search/usage.ts";
import { messageOf } from "../../../contract/errors.ts";
import type { Cleaning } from "../../../contract/feature.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Log } from "../../../lib/log.ts";
import type { Settings } from "../../../machine/config/settings.ts";
import type { Prunable, Store } from "../../../machine/db/store.ts";
import { type AuditCleaningDeps, findAuditCutoff } from "./audit-cleaning.ts";
import { ClockWatch } from "./clock-watch.ts";
import { removeStrayFiles } from "./stray-files.ts";

export interface CleaningDeps {
  readonly store: Pick<Store, "lead" | "prune">;
  readonly audit: Pick<Audit, "prune">;
  readonly auditTable: Pick<AuditStore, "oldest">;
  /** The cleaning of features. */
  readonly features?: readonly Cleaning[];
  readonly outputs: Pick<OutputTable, "prune">;
  readonly home: string;
  /** Read before every cleaning, because settings can change. */
  readonly retention: () => Settings["retention"];
  readonly clock: Clock;
  readonly log: Log;
  /** The delay between the start and the first cleaning. */
  readonly firstMs?: number;
}

const FIRST_MS = 60_000;
const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
/** Small enough that other writers hardly wait. */
const BATCH = 500;
const PAUSE_MS = 50;

/**
 * Removes what is older than its retention, shortly after the start and then every day. Kept outputs can be large and
 * live for hours, so they are cleaned every hour. Nothing is removed while the clock is not believed. One of the
 * daemons on a database cleans the tables; each daemon cleans its own attachment files.
 */
export function startCleaning(given: CleaningDeps): { close(): Promise<void> } {
  const stop = new AbortController();
  const deps = { ...given, watch: new ClockWatch(given) };
  const ended = Promise.all([
    deps.store.lead("cleaning", (signal) => cleanTables(deps, signal), stop.signal),
    repeatCleaning(DAY_MS, deps, stop.signal, cleanFiles),
  ]);
  return {
    async close() {
      stop.abort();
      await ended;
    },
  };
}

type WatchedDeps = CleaningDeps & { readonly watch: ClockWatch };

async function cleanTables(deps: WatchedDeps, signal: AbortSignal): Promise<void> {
  await Promise.all([
    repeatCleaning(DAY_MS, deps, signal, cleanStore),
    repeatCleaning(HOUR_MS, deps, signal, cleanOutputs),
  ]);
}

/** Never rejects: a failed cleaning is repeated the next time. */
async function repeatCleaning(
  everyMs: number,
  deps: WatchedDeps,
  signal: AbortSignal,
  clean: (deps: CleaningDeps, signal: AbortSignal) => Promise<object>,
): Promise<void> {
  await pause(deps.firstMs ?? FIRST_MS, signal);
  while (!signal.aborted) {
    try {
      const removed = (await deps.watch.isBelieved()) ? await clean(deps, signal) : {};
      if (Object.keys(removed).length > 0)
        deps.log.info(removed, "cleaning: removed rows and files older than their retention");
    } catch (error) {
      deps.log.warn({ cause: messageOf(error) }, "cleaning failed; it will run again later");
    }
    deps.log.debug({ next: everyMs }, "cleaning: finished");
    await pause(everyMs, signal);
  }
}

type RemovedCounts = Record<string, number>;

/** Returns how many rows were removed, only for tables where there were any. */
async function cleanStore(deps: CleaningDeps, signal: AbortSignal): Promise<RemovedCounts> {
  const { auditMs, attachmentsMs } = deps.retention();
  const cut =
    auditMs === null ? undefined : await findAuditCutoff(pickAuditDeps(deps), deps.clock(), auditMs);
  const retentions: Record<Prunable, number | null> = {
    calls: cut === undefined ? null : deps.clock() - cut,
    attachments: attachmentsMs,
    toolUses: TOOL_USE_KEPT_MS,
  };
  const removed: RemovedCounts = {};
  for (const [what, ms] of Object.entries(retentions) as [Prunable, number | null][]) {
    const count = ms === null ? 0 : await removeAll(deps, what, deps.clock() - ms, signal);
    if (count > 0) removed[what] = count;
  }
  if (cut !== undefined) {
    const chained = await removeInBatches(signal, (limit) => deps.audit.prune(cut, limit));
    if (chained > 0) removed.calls = (removed.calls ?? 0) + chained;
  }
  for (const { what, remove } of deps.features ?? []) {
    const count = await removeInBatches(signal, remove);
    if (count > 0) removed[what] = (removed[what] ?? 0) + count;
  }
  return removed;
}

function pickAuditDeps({ home, auditTable, log }: CleaningDeps): AuditCleaningDeps {
  return { home, log, oldest: () => auditTable.oldest() };
}

async function cleanOutputs(deps: CleaningDeps, signal: AbortSignal): Promise<RemovedCounts> {
  const before = deps.clock() - OUTPUT_KEPT_MS;
  const outputs = await removeInBatches(signal, (limit) => deps.outputs.prune(before, limit));
  return outputs > 0 ? { outputs } : {};
}

function removeAll(
  { store }: CleaningDeps,
  what: Prunable,
  before: number,
  signal: AbortSignal,
): Promise<number> {
  return removeInBatches(signal, (limit) => store.prune(what, before, limit));
}

async function removeInBatches(
  signal: AbortSignal,
  remove: (limit: number) => Promise<number>,
): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const count = await remove(BATCH);
    total += count;
    if (count < BATCH) break;
    await pause(PAUSE_MS, signal);
  }
  return total;
}

/**
 * Removes drafts of interrupted writes, and this daemon's copies of attached files, each of which has its own folder.
 */
async function cleanFiles(
  deps: CleaningDeps,
  signal: AbortSignal,
): Promise<{ files?: number; unfinished?: number }> {
  const unfinished = await removeStrayFiles(deps.home, deps.clock(), signal);
  return { ...(await cleanAttachments(deps, signal)), ...(unfinished > 0 && { unfinished }) };
}

async function cleanAttachments(deps: CleaningDeps, signal: AbortSignal): Promise<{ files?: number }> {
  const { attachmentsMs } = deps.retention();
  if (attachmentsMs === null) return {};
  const before = deps.clock() - attachmentsMs;
  const folder = join(deps.home, "attachments");
  let files = 0;
  for (const name of await listNames(folder)) {
    if (signal.aborted) break;
    if (!name.startsWith("att_") || (await stat(join(folder, name))).mtimeMs >= before) continue;
    await rm(join(folder, name), { recursive: true, force: true });
    files++;
  }
  return files > 0 ? { files } : {};
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => {});
}
