import type { Dirent } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Whoever writes a file whole writes it under another name first: one this old was left by a process that was killed. */
const STRAY_MS = 60 * 60 * 1_000;
const MAX_ENTRIES = 200_000;
const MAX_DEPTH = 32;

/** Names under which parts of a home are written first, by the folder that they are in. */
const TOP = /^(daemon\.json\.[0-9a-f]{8}|key\.[0-9a-f-]{36}|[a-z-]+\.part|\.[\w.-]+\.[0-9a-f]{8})$/;
const ANYWHERE = /^\.tmp_[0-9A-Za-z]{8,64}$/;
const INBOX = /^\.[0-9a-f-]{36}\.tmp$/;
/** Folders of the home in which files are written by tools and people. */
const DEEP = ["workspaces", "inbox"];

/** Removes what writes that never ended have left in the home; resolves with how many files. Follows no links. */
export async function removeStrayFiles(home: string, now: number, signal: AbortSignal): Promise<number> {
  const sweep = new Sweep(now, signal);
  await sweep.folder(home, (name) => TOP.test(name) || ANYWHERE.test(name), 0);
  for (const name of DEEP)
    await sweep.folder(join(home, name), (file) => ANYWHERE.test(file) || INBOX.test(file), MAX_DEPTH);
  return sweep.removed;
}

class Sweep {
  removed = 0;
  readonly #before: number;
  readonly #signal: AbortSignal;
  #left = MAX_ENTRIES;

  constructor(now: number, signal: AbortSignal) {
    this.#before = now - STRAY_MS;
    this.#signal = signal;
  }

  async folder(path: string, isStray: (name: string) => boolean, depth: number): Promise<void> {
    const entries: Dirent[] = await readdir(path, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (this.#signal.aborted || this.#left-- <= 0) return;
      const place = join(path, entry.name);
      if (entry.isDirectory() && depth > 0) await this.folder(place, isStray, depth - 1);
      else if (entry.isFile() && isStray(entry.name)) await this.#remove(place);
    }
  }

  async #remove(place: string): Promise<void> {
    const found = await lstat(place).catch(() => undefined);
    if (!found?.isFile() || found.mtimeMs >= this.#before) return;
    await rm(place, { force: true });
    this.removed++;
  }
}
