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
  /** Sources are synced when something changes in them. */
  readonly watch: boolean;
  /** All are synced this often; 0: only when something changes, or somebody asks. */
  readonly intervalMs: number;
}

export interface BackgroundDeps extends Pick<SourceWatchOptions, "quietMs"> {
  readonly home: string;
  readonly sync: KnowledgeSync;
  readonly sources: Pick<SourceTable, "list">;
  readonly sharing: Pick<Sharing, "lead">;
  /** Asked anew every time. */
  readonly settings: () => BackgroundSettings;
  readonly log: Log;
  /** How long after the start everything is synced for the first time. */
  readonly firstMs?: number;
  /** How often the list of sources is looked at. */
  readonly lookMs?: number;
}

const FIRST_MS = 60_000;
const LOOK_MS = 10_000;

/**
 * Keeps sources up to date: when something changes in them, and all of them shortly after the start and then at an interval. Of the daemons
 * on one database one does it.
 */
export function startBackgroundSync(deps: BackgroundDeps): { close(): Promise<void> } {
  const stop = new AbortController();
  const ended = deps.sharing.lead("knowledge-background", (signal) => keepUp(deps, signal), stop.signal);
  ended.catch((error) => deps.log.warn({ cause: messageOf(error) }, "sources are not synced by themselves"));
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
      await watching.set(watch ? await placesOf(deps) : []).catch((error) => told(deps, error));
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

/** An inbox that nobody ever used starts no thread. */
async function hasDocuments({ sources, home }: BackgroundDeps): Promise<boolean> {
  const enabled = (await sources.list().catch(() => [])).filter((source) => source.enabled);
  if (enabled.some(({ kind, lastSync }) => kind !== "inbox" || lastSync !== null)) return true;
  return enabled.length > 0 && (await readdir(inboxFolder(home)).catch(() => [])).length > 0;
}

/** Never rejects: what could not be done now is done the next time. One that runs already sees most of what changed; the rest waits its turn. */
async function syncNow(deps: BackgroundDeps, signal: AbortSignal, source?: string): Promise<void> {
  try {
    await deps.sync.sync({
      ...{ access: { labels: null }, waits: source !== undefined, signal },
      ...(source !== undefined && { source }),
    });
  } catch (error) {
    if (!signal.aborted) told(deps, error);
  }
}

function told({ log }: BackgroundDeps, error: unknown): void {
  log.warn({ cause: messageOf(error) }, "a sync in the background failed; it is tried again");
}

async function placesOf({ sources, home }: BackgroundDeps): Promise<WatchedPlace[]> {
  const places: WatchedPlace[] = [];
  for (const { name, kind, config, enabled } of await sources.list()) {
    if (!enabled) continue;
    const plan = await planSource(kind, config, home);
    if (plan.ok) places.push({ source: name, plan: plan.value });
  }
  return places;
}
