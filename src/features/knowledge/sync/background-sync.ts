import { readdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../contract/errors.ts";
import type { Log } from "../../../lib/log.ts";
import type { Sharing } from "../../../machine/db/sharing.ts";
import type { KnowledgeSync } from "../knowledge.ts";
import { inboxFolder, planSource } from "../sources/plan-source.ts";
import type { SourceTable } from "../tables.ts";
import { SourceWatch, type SourceWatchOptions, type WatchedPlace } from "./watch-sources.ts";

export interface BackgroundSettings {
  /** Whether sources are synced when their files change. */
  readonly watch: boolean;
  /** How often all sources are synced; 0: only after changes and on request. */
  readonly intervalMs: number;
}

export interface BackgroundDeps extends Pick<SourceWatchOptions, "quietMs"> {
  readonly home: string;
  readonly sync: KnowledgeSync;
  readonly sources: Pick<SourceTable, "list">;
  readonly sharing: Pick<Sharing, "lead">;
  /** Read again every time. */
  readonly settings: () => BackgroundSettings;
  readonly log: Log;
  /** The delay of the first sync after the start. */
  readonly firstMs?: number;
  /** How often the list of sources is read. */
  readonly lookMs?: number;
}

const FIRST_MS = 60_000;
const LOOK_MS = 10_000;

/**
 * Keeps sources up to date: after changes, and all of them shortly after the start and then at an interval. One of the
 * daemons on a database does it.
 */
export function startBackgroundSync(deps: BackgroundDeps): { close(): Promise<void> } {
  const stop = new AbortController();
  const ended = deps.sharing.lead("knowledge-background", (signal) => keepUp(deps, signal), stop.signal);
  ended.catch((error) => deps.log.warn({ cause: messageOf(error) }, "knowledge: background sync stopped"));
  return {
    async close() {
      stop.abort();
      await ended.catch(() => {});
    },
  };
}

async function keepUp(deps: BackgroundDeps, signal: AbortSignal): Promise<void> {
  const { log, settings, firstMs = FIRST_MS, lookMs = LOOK_MS } = deps;
  const watching = new SourceWatch({
    onChanged: (source) => void syncNow(deps, signal, source),
    onProblem: (source, error) =>
      log.warn(
        { source, cause: messageOf(error) },
        "a source cannot be watched; it is synced at its interval",
      ),
    ...(deps.quietMs !== undefined && { quietMs: deps.quietMs }),
  });
  let nextAt = performance.now() + firstMs;
  try {
    while (!signal.aborted) {
      const { watch, intervalMs } = settings();
      await watching
        .set(watch ? await listWatchedPlaces(deps) : [])
        .catch((error) => logFailure(deps, error));
      if (intervalMs > 0 && performance.now() >= nextAt) {
        if (await hasDocuments(deps)) await syncNow(deps, signal);
        nextAt = performance.now() + intervalMs;
      }
      await delay(lookMs, undefined, { signal, ref: false }).catch(() => {});
    }
  } finally {
    await watching.close();
  }
}

/** False if there is only an inbox that was never used: then no thread is started. */
async function hasDocuments({ sources, home }: BackgroundDeps): Promise<boolean> {
  const enabled = (await sources.list().catch(() => [])).filter((source) => source.enabled);
  if (enabled.some(({ kind, lastSync }) => kind !== "inbox" || lastSync !== null)) return true;
  return enabled.length > 0 && (await readdir(inboxFolder(home)).catch(() => [])).length > 0;
}

/** Never rejects; a failure is repaired by the next sync. A sync of one source waits for a running one, which may have missed the change. */
async function syncNow(deps: BackgroundDeps, signal: AbortSignal, source?: string): Promise<void> {
  try {
    await deps.sync.sync({
      ...{ access: { labels: null }, waits: source !== undefined, signal },
      ...(source !== undefined && { source }),
    });
  } catch (error) {
    if (!signal.aborted) logFailure(deps, error);
  }
}

function logFailure({ log }: BackgroundDeps, error: unknown): void {
  log.warn({ cause: messageOf(error) }, "knowledge: background sync failed; it will be retried");
}

async function listWatchedPlaces({ sources, home }: BackgroundDeps): Promise<WatchedPlace[]> {
  const places: WatchedPlace[] = [];
  for (const { name, kind, config, enabled } of await sources.list()) {
    if (!enabled) continue;
    const plan = await planSource(kind, config, home);
    if (plan.ok) places.push({ source: name, plan: plan.value });
  }
  return places;
}
