import { type FSWatcher, watch } from "node:fs";

/** Editors write a file in several steps. */
const QUIET_MS = 100;

/** Reports changes in a set of folders once they have settled. Never keeps the process alive. */
export class FolderWatch {
  readonly #onChange: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #quiet: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Watches exactly these folders from now on. A folder that cannot be watched is skipped; it is scanned on request. */
  set(folders: ReadonlySet<string>): void {
    if (this.#closed) return;
    for (const [folder, watcher] of this.#watchers) if (!folders.has(folder)) this.#drop(folder, watcher);
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#add(folder);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#quiet);
    for (const [folder, watcher] of this.#watchers) this.#drop(folder, watcher);
  }

  #add(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#changed());
      // The folder was removed, or the system stopped watching it.
      watcher.on("error", () => this.#drop(folder, watcher));
      this.#watchers.set(folder, watcher);
    } catch {
      // Too many folders are watched, or this one was just removed.
    }
  }

  #drop(folder: string, watcher: FSWatcher): void {
    watcher.close();
    this.#watchers.delete(folder);
  }

  #changed(): void {
    if (this.#closed) return;
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(this.#onChange, QUIET_MS).unref();
  }
}
