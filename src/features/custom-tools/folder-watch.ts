import { type FSWatcher, watch } from "node:fs";

/** Editors write in several steps. */
const QUIET_MS = 100;

/** Tells when something happens in one of a set of folders, once it is quiet again. Never keeps the process alive. */
export class FolderWatch {
  readonly #onChange: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #quiet: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Exactly these from now on. A folder that cannot be watched is left out: it is looked at when somebody asks. */
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
      // The folder is gone, or the system lost track of it.
      watcher.on("error", () => this.#drop(folder, watcher));
      this.#watchers.set(folder, watcher);
    } catch {
      // Too many are watched, or it has just been removed.
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
