import { watch } from "node:fs";
import { basename, dirname } from "node:path";

export interface WatchedPlace {
  readonly source: string;
  /** Absolute, without symbolic links. */
  readonly root: string;
  readonly isFile: boolean;
}

export interface SourceWatchOptions {
  readonly onChanged: (source: string) => void;
  /** Told once for each place that cannot be watched. */
  readonly onProblem: (source: string, error: unknown) => void;
  /** How long it has to be quiet. */
  readonly quietMs?: number;
  /** After so long it is told of even if it is not quiet. */
  readonly latestMs?: number;
}

const QUIET_MS = 2_000;
const LATEST_MS = 30_000;
/** Of no interest to any source, and noisy. */
const UNWATCHED = ["**/.git/**", "**/node_modules/**", "**/.obsidian/**"];

interface Watched {
  readonly root: string;
  /** Resolves with how to stop. */
  readonly stop: Promise<() => void | Promise<void>>;
}

/**
 * Tells which sources changed, once it is quiet there. What the system cannot watch (a network drive, too many folders) is found by the next
 * sync at its interval.
 */
export class SourceWatch {
  readonly #options: Required<SourceWatchOptions>;
  readonly #watched = new Map<string, Watched>();
  readonly #waiting = new Map<string, { readonly timer: NodeJS.Timeout; readonly since: number }>();

  constructor(options: SourceWatchOptions) {
    this.#options = { quietMs: QUIET_MS, latestMs: LATEST_MS, ...options };
  }

  /** Exactly these from now on; resolves when they are watched. */
  async set(places: readonly WatchedPlace[]): Promise<void> {
    const roots = new Map(places.map(({ source, root }) => [source, root]));
    const dropped = [...this.#watched].filter(([source, { root }]) => roots.get(source) !== root);
    await Promise.all(dropped.map(([source]) => this.#drop(source)));
    for (const place of places)
      if (!this.#watched.has(place.source))
        this.#watched.set(place.source, { root: place.root, stop: this.#begin(place) });
    await Promise.all([...this.#watched.values()].map(({ stop }) => stop));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#watched.keys()].map((source) => this.#drop(source)));
  }

  async #begin({ source, root, isFile }: WatchedPlace): Promise<() => void | Promise<void>> {
    try {
      return isFile ? watchFile(root, () => this.#changed(source)) : await this.#watchFolder(source, root);
    } catch (error) {
      this.#options.onProblem(source, error);
      return () => {};
    }
  }

  async #watchFolder(source: string, root: string): Promise<() => Promise<void>> {
    const { subscribe } = await import("@parcel/watcher");
    const onEvent = (error: Error | null) => {
      if (error) this.#options.onProblem(source, error);
      // Also then: it lost track, so something happened.
      this.#changed(source);
    };
    const subscription = await subscribe(root, onEvent, { ignore: UNWATCHED });
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

/** Programs replace a file when they write it, so its folder is what is watched. */
function watchFile(path: string, onChange: () => void): () => void {
  const watcher = watch(dirname(path), { persistent: false }, (_, name) => {
    if (name === null || name === basename(path)) onChange();
  });
  watcher.on("error", () => watcher.close());
  return () => watcher.close();
}
