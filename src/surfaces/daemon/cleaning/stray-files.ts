import type { Dirent } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Whoever writes a file whole writes it under another name first: one this old was left by a process that was killed. */
const STRAY_MS = 60 * 60 * 1_000;
const MAX_ENTRIES = 200_000;
const MAX_DEPTH = 32;

/** A folder of the home, and under which names something is written in it before it gets its own. */
interface Place {
  /** Parts of the path from the home on. */
  readonly folder: readonly string[];
  readonly draft: RegExp;
  /** Drafts are folders, which go with all that is in them. */
  readonly areFolders?: boolean;
  /** Folders in it are looked at, too. */
  readonly isDeep?: boolean;
}

const WORKSPACE_DRAFT = /^\.tmp_[0-9A-Za-z]{8,64}$/;

/** Every place of the home in which something is written whole or not at all. Whoever adds one adds it here. */
const PLACES: readonly Place[] = [
  {
    folder: [],
    draft:
      /^(daemon\.json\.[0-9a-f]{8}|lock\.json\.new|key\.[0-9a-f-]{36}|[a-z-]+\.part|.+\.\d+\.part|\.[\w.-]+\.[0-9a-f]{8})$/,
  },
  { folder: [], draft: WORKSPACE_DRAFT },
  { folder: ["workspaces"], draft: WORKSPACE_DRAFT, isDeep: true },
  { folder: ["inbox"], draft: /^(\.tmp_[0-9A-Za-z]{8,64}|\.[0-9a-f-]{36}\.tmp)$/, isDeep: true },
  { folder: ["models"], draft: /^.+\.(onnx|sha256)\.\d+$/ },
  { folder: ["plugins"], draft: /^\.(new|old)-[0-9A-Za-z]{8,64}$/, areFolders: true },
  { folder: ["run", "custom"], draft: /^call-[0-9A-Za-z]{6}$/, areFolders: true },
];

/** Removes what writes that never ended have left in the home; resolves with how many files and folders. Follows no links. */
export async function removeStrayFiles(home: string, now: number, signal: AbortSignal): Promise<number> {
  const sweep = new Sweep(now, signal);
  for (const place of PLACES)
    await sweep.folder(join(home, ...place.folder), place, place.isDeep ? MAX_DEPTH : 0);
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

  async folder(path: string, place: Place, depth: number): Promise<void> {
    const entries: Dirent[] = await readdir(path, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (this.#signal.aborted || this.#left-- <= 0) return;
      const at = join(path, entry.name);
      const isWanted = place.areFolders ? entry.isDirectory() : entry.isFile();
      if (isWanted && place.draft.test(entry.name)) await this.#remove(at);
      else if (entry.isDirectory() && depth > 0) await this.folder(at, place, depth - 1);
    }
  }

  async #remove(at: string): Promise<void> {
    const found = await lstat(at).catch(() => undefined);
    if (found === undefined || found.isSymbolicLink() || found.mtimeMs >= this.#before) return;
    await rm(at, { recursive: found.isDirectory(), force: true });
    this.removed++;
  }
}
