/** Watches the settings files, so that a change takes effect without a restart. */
import { createHash } from "node:crypto";
import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { messageOf } from "../../contract/errors.ts";
import { stableJson } from "../../lib/json.ts";
import type { LoadedSettings } from "./load.ts";
import { settingsPaths } from "./settings-file.ts";

export interface WatchOptions {
  readonly home: string;
  readonly cwd: string;
  /** The settings in use when watching begins. */
  readonly current: LoadedSettings;
  readonly load: () => Promise<LoadedSettings>;
  /** The settings are other ones than before, or are right again after having been rejected. */
  readonly onApplied: (loaded: LoadedSettings) => void | Promise<void>;
  /** The change cannot be used, and the current settings stay. Also called when `onApplied` fails. Must not throw. */
  readonly onRejected: (error: unknown) => void | Promise<void>;
  /** Aborting closes. */
  readonly signal?: AbortSignal;
  /** How long the files must be quiet, since editors write in several steps. Default 150. */
  readonly quietMs?: number;
  /** How often to look for what the system's notices miss: symlinks, network drives. Default 2000. */
  readonly pollMs?: number;
}

export interface SettingsWatch {
  /** Loads now, for instance after a file was trusted; resolves when the result is in effect or rejected. */
  reload(): Promise<void>;
  /** No callback begins after this is called; resolves when the last one has ended. */
  close(): Promise<void>;
}

/** Never keeps the process alive by itself. */
export function watchSettings(options: WatchOptions): SettingsWatch {
  return new FileWatch(options);
}

class FileWatch implements SettingsWatch {
  readonly #options: WatchOptions;
  readonly #watchers: FSWatcher[];
  readonly #poll: NodeJS.Timeout;
  #quiet: NodeJS.Timeout | undefined;
  /** Stands for the last outcome, good or bad: the same one is not told twice. */
  #told: string;
  #seen = "";
  #closed = false;
  #work: Promise<void> = Promise.resolve();

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#told = fingerprint(options.current);
    this.#watchers = [options.home, options.cwd].flatMap((folder) => this.#watchFolder(folder));
    this.#poll = setInterval(() => void this.#lookForChange(), options.pollMs ?? 2000).unref();
    if (options.signal?.aborted) void this.close();
    else options.signal?.addEventListener("abort", () => void this.close(), { once: true });
    this.#reloadSoon(); // a change since `current` was loaded has been missed
  }

  reload(): Promise<void> {
    this.#work = this.#work.then(() => this.#check());
    return this.#work;
  }

  close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#quiet);
    clearInterval(this.#poll);
    for (const watcher of this.#watchers) watcher.close();
    return this.#work;
  }

  /** The folder and not the file: saving often replaces the file, and it may not exist yet. */
  #watchFolder(folder: string): FSWatcher[] {
    const names = new Set(this.#paths().map((path) => basename(path)));
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || names.has(name)) this.#reloadSoon();
      });
      // what the system cannot watch is still looked at every few seconds
      watcher.on("error", () => watcher.close());
      return [watcher];
    } catch {
      return [];
    }
  }

  #reloadSoon(): void {
    if (this.#closed) return;
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => void this.reload(), this.#options.quietMs ?? 150).unref();
  }

  async #lookForChange(): Promise<void> {
    const seen = await Promise.all(this.#paths().map(versionOf));
    if (seen.join() === this.#seen) return;
    this.#seen = seen.join();
    this.#reloadSoon();
  }

  #paths(): string[] {
    const { home, cwd } = this.#options;
    return [...settingsPaths(home, "user"), ...settingsPaths(cwd, "project")];
  }

  async #check(): Promise<void> {
    if (this.#closed) return;
    const { load, onApplied, onRejected } = this.#options;
    try {
      const loaded = await load();
      if (this.#isNews(fingerprint(loaded))) await onApplied(loaded);
    } catch (error) {
      if (this.#isNews(`rejected: ${messageOf(error)}`)) await onRejected(error);
    }
  }

  #isNews(outcome: string): boolean {
    if (this.#closed || outcome === this.#told) return false;
    this.#told = outcome;
    return true;
  }
}

/** A hash, so that no second copy of the secrets is kept. */
function fingerprint({ settings, warnings }: LoadedSettings): string {
  return createHash("sha256").update(stableJson({ settings, warnings })).digest("hex");
}

/** Changes whenever the file does, wherever a symlink leads. */
async function versionOf(path: string): Promise<string> {
  return stat(path).then(
    ({ ino, size, mtimeMs }) => `${ino}:${size}:${mtimeMs}`,
    () => "none",
  );
}
