import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Audit } from "../../../call/audit/audit.ts";
import { messageOf } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Log } from "../../../lib/log.ts";
import type { Settings } from "../../../machine/config/settings.ts";
import type { Prunable, Store } from "../../../machine/db/store.ts";
import { OUTPUT_KEPT_MS } from "../../../machine/db/tables/calls/output-record.ts";
import { TOOL_USE_KEPT_MS } from "../../../machine/db/tables/calls/tool-use-record.ts";
import { EMBEDDING_KEPT_MS, MAX_EMBEDDINGS } from "../../../machine/db/tables/knowledge/embedding-record.ts";
import { CONTENT_LABELS_KEPT_MS, LABELS_KEPT_MS } from "../../../machine/db/tables/trust/label-record.ts";
import { type AuditCleaningDeps, auditCut } from "./audit-cleaning.ts";
import { ClockWatch } from "./clock-watch.ts";
import { removeStrayFiles } from "./stray-files.ts";

export interface CleaningDeps {
  readonly store: Pick<Store, "lead" | "prune" | "embeddings"> & {
    readonly audit: Pick<Store["audit"], "oldest">;
  };
  readonly audit: Pick<Audit, "prune">;
  readonly home: string;
  /** Asked anew every time. */
  readonly retention: () => Settings["retention"];
  /** Tokens were removed: what is known of them in memory is to be read again. */
  readonly onTokens: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  /** How long after the start it cleans for the first time. */
  readonly firstMs?: number;
}

const FIRST_MS = 60_000;
const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
/** Few enough that whoever else writes hardly waits. */
const BATCH = 500;
const PAUSE_MS = 50;
/** A conversation that rested longer finds its tools again by searching. */
const ACTIVATIONS_KEPT_MS = 30 * DAY_MS;

/**
 * Removes, shortly after the start and then every day, what is older than its retention; kept outputs, which may be
 * large and are kept for hours, every hour; nothing while the clock is not believed. Of the daemons on one database
 * one cleans the tables; the files of attachments are each daemon's own.
 */
export function startCleaning(given: CleaningDeps): { close(): Promise<void> } {
  const stop = new AbortController();
  const deps = { ...given, watch: new ClockWatch(given) };
  const ended = Promise.all([
    deps.store.lead("cleaning", (signal) => cleanTables(deps, signal), stop.signal),
    regularly(DAY_MS, deps, stop.signal, cleanFiles),
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
    regularly(DAY_MS, deps, signal, cleanStore),
    regularly(HOUR_MS, deps, signal, cleanOutputs),
  ]);
}

/** Never rejects: what could not be done now is done the next time. */
async function regularly(
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
        deps.log.info(removed, "removed what was older than its retention");
    } catch (error) {
      deps.log.warn({ cause: messageOf(error) }, "cleaning failed; it is tried again later");
    }
    deps.log.debug({ next: everyMs }, "cleaning is done for now");
    await pause(everyMs, signal);
  }
}

type Removed = Partial<Record<Prunable, number>>;

/** How many rows went, of what there was something to remove. */
async function cleanStore(deps: CleaningDeps, signal: AbortSignal): Promise<Removed> {
  const { auditMs, questionsMs, notificationsMs, attachmentsMs, tokensMs, memoryHistoryMs } =
    deps.retention();
  const cut = auditMs === null ? undefined : await auditCut(auditDeps(deps), deps.clock(), auditMs);
  const retentions: Record<Exclude<Prunable, "outputs">, number | null> = {
    calls: cut === undefined ? null : deps.clock() - cut,
    questions: questionsMs,
    notifications: notificationsMs,
    attachments: attachmentsMs,
    tokens: tokensMs,
    consents: tokensMs,
    claims: 0,
    embeddings: EMBEDDING_KEPT_MS,
    activations: ACTIVATIONS_KEPT_MS,
    toolUses: TOOL_USE_KEPT_MS,
    rules: 0,
    labels: LABELS_KEPT_MS,
    contentLabels: CONTENT_LABELS_KEPT_MS,
    memories: 0,
    memoryVersions: memoryHistoryMs,
  };
  const removed: Removed = {};
  for (const [what, ms] of Object.entries(retentions) as [Prunable, number | null][]) {
    const count = ms === null ? 0 : await removeAll(deps, what, deps.clock() - ms, signal);
    if (count > 0) removed[what] = count;
  }
  if (cut !== undefined) {
    const chained = await inBatches(signal, (limit) => deps.audit.prune(cut, limit));
    if (chained > 0) removed.calls = (removed.calls ?? 0) + chained;
  }
  const beyond = await inBatches(signal, (limit) => deps.store.embeddings.trim(MAX_EMBEDDINGS, limit));
  if (beyond > 0) removed.embeddings = (removed.embeddings ?? 0) + beyond;
  if (removed.tokens || removed.consents) await deps.onTokens();
  return removed;
}

function auditDeps({ home, store, log }: CleaningDeps): AuditCleaningDeps {
  return { home, log, oldest: () => store.audit.oldest() };
}

async function cleanOutputs(deps: CleaningDeps, signal: AbortSignal): Promise<Removed> {
  const outputs = await removeAll(deps, "outputs", deps.clock() - OUTPUT_KEPT_MS, signal);
  return outputs > 0 ? { outputs } : {};
}

function removeAll(
  { store }: CleaningDeps,
  what: Prunable,
  before: number,
  signal: AbortSignal,
): Promise<number> {
  return inBatches(signal, (limit) => store.prune(what, before, limit));
}

async function inBatches(signal: AbortSignal, remove: (limit: number) => Promise<number>): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const count = await remove(BATCH);
    total += count;
    if (count < BATCH) break;
    await pause(PAUSE_MS, signal);
  }
  return total;
}

/** What writes that never ended left, and the copies that this daemon made of attached files, each in a folder of its own. */
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
  for (const name of await namesIn(folder)) {
    if (signal.aborted) break;
    if (!name.startsWith("att_") || (await stat(join(folder, name))).mtimeMs >= before) continue;
    await rm(join(folder, name), { recursive: true, force: true });
    files++;
  }
  return files > 0 ? { files } : {};
}

async function namesIn(folder: string): Promise<string[]> {
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
