import { watch } from "node:fs";
import { basename, dirname } from "node:path";
import type { Event, SubscribeCallback } from "@parcel/watcher";
import { isInside } from "../../../lib/files/inside.ts";
import { createPace } from "../../../lib/flow/pace.ts";
import { SourceFilter } from "../sources/source-filter.ts";
import type { SourcePlan } from "../sources/source-plan.ts";

export interface WatchedPlace {
  readonly source: string;
  readonly plan: SourcePlan;
}

export interface SourceWatchOptions {
  readonly onChanged: (source: string) => void;
  /** Called once for each place that cannot be watched. */
  readonly onProblem: (source: string, error: unknown) => void;
  /** How long there must be no further change. */
  readonly quietMs?: number;
  /** A change is reported after this time even if there are more changes. */
  readonly latestMs?: number;
}

const QUIET_MS = 2_000;
const LATEST_MS = 30_000;
/** Folders that change often and that no source reads. */
const UNWATCHED = ["**/.git/**", "**/node_modules/**", "**/.obsidian/**"];
const HIDDEN = "**/.*/**";

interface Watched {
  /** Identifies what is watched, and how. */
  readonly as: string;
  /** Resolves with the function that stops it. */
  readonly stop: Promise<() => void | Promise<void>>;
}

/**
 * Reports which sources changed, after their changes have stopped. Changes that the system cannot watch (a network drive,
 * too many folders) are found by the next regular sync.
 */
export class SourceWatch {
  readonly #options: Required<SourceWatchOptions>;
  readonly #watched = new Map<string, Watched>();
  readonly #waiting = new Map<string, { readonly timer: NodeJS.Timeout; readonly since: number }>();

  constructor(options: SourceWatchOptions) {
    this.#options = { quietMs: QUIET_MS, latestMs: LATEST_MS, ...options };
  }

  /** Watches exactly these places; resolves when it does. */
  async set(places: readonly WatchedPlace[]): Promise<void> {
    const wanted = new Map(places.map(({ source, plan }) => [source, JSON.stringify(plan)]));
    const dropped = [...this.#watched].filter(([source, { as }]) => wanted.get(source) !== as);
    await Promise.all(dropped.map(([source]) => this.#drop(source)));
    for (const place of places)
      if (!this.#watched.has(place.source))
        this.#watched.set(place.source, { as: wanted.get(place.source)!, stop: this.#begin(place) });
    await Promise.all([...this.#watched.values()].map(({ stop }) => stop));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#watched.keys()].map((source) => this.#drop(source)));
  }

  async #begin({ source, plan }: WatchedPlace): Promise<() => void | Promise<void>> {
    try {
      return plan.isFile
        ? watchFile(plan.root, () => this.#changed(source))
        : await this.#watchFolder(source, plan);
    } catch (error) {
      this.#options.onProblem(source, error);
      return () => {};
    }
  }

  async #watchFolder(source: string, plan: SourcePlan): Promise<() => Promise<void>> {
    const { subscribe } = await import("@parcel/watcher");
    const filter = new SourceFilter(plan);
    let looking = Promise.resolve();
    const onEvent: SubscribeCallback = (error, events) => {
      if (error) {
        this.#options.onProblem(source, error);
        // The watcher lost events, so something may have changed.
        this.#changed(source);
      } else
        looking = looking.then(async () => {
          if (await concernsAny(filter, events)) this.#changed(source);
        });
    };
    const { root, hidden, excluded } = plan;
    const below = excluded.filter((path) => path !== root && isInside(root, path));
    const ignore = [...UNWATCHED, ...(hidden ? [] : [HIDDEN]), ...below];
    const subscription = await subscribe(root, onEvent, { ignore });
    return () => subscription.unsubscribe();
  }

  async #drop(source: string): Promise<void> {
    const watched = this.#watched.get(source);
    this.#watched.delete(source);
    clearTimeout(this.#waiting.get(source)?.timer);
    this.#waiting.delete(source);
    const stop = await watched?.stop;
    await stop?.();
  }

  #changed(source: string): void {
    if (!this.#watched.has(source)) return;
    const { quietMs, latestMs, onChanged } = this.#options;
    const since = this.#waiting.get(source)?.since ?? performance.now();
    clearTimeout(this.#waiting.get(source)?.timer);
    const leftMs = Math.max(0, Math.min(quietMs, since + latestMs - performance.now()));
    const tell = () => {
      this.#waiting.delete(source);
      onChanged(source);
    };
    this.#waiting.set(source, { timer: setTimeout(tell, leftMs).unref(), since });
  }
}

/** Most of many events concern no source. */
async function concernsAny(filter: SourceFilter, events: readonly Event[]): Promise<boolean> {
  const pace = createPace();
  for (const { path, type } of events) {
    if (filter.concerns(path, type)) return true;
    await pace();
  }
  return false;
}

/** Watches the folder, because programs replace a file when they write it. */
function watchFile(path: string, onChange: () => void): () => void {
  const watcher = watch(dirname(path), { persistent: false }, (_, name) => {
    if (name === null || name === basename(path)) onChange();
  });
  watcher.on("error", () => watcher.close());
  return () => watcher.close();
}
