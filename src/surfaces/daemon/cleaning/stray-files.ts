import type { Dirent } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Whole files are written under another name first. A draft this old was left by a process that was killed. */
const STRAY_MS = 60 * 60 * 1_000;
const MAX_ENTRIES = 200_000;
const MAX_DEPTH = 32;

/** A folder of the home, with the names of drafts in it. */
interface DraftFolder {
  /** Segments of the path below the home. */
  readonly folder: readonly string[];
  readonly draft: RegExp;
  /** Drafts are folders and are removed with their contents. */
  readonly areFolders?: boolean;
  /** Subfolders are searched, too. */
  readonly isDeep?: boolean;
}

const WORKSPACE_DRAFT = /^\.tmp_[0-9A-Za-z]{8,64}$/;

/** Every folder of the home in which files are written atomically. Add new ones here. */
const DRAFT_FOLDERS: readonly DraftFolder[] = [
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

/**
 * Removes drafts that interrupted writes left in the home. Resolves with the number of files and folders. Follows no
 * links.
 */
export async function removeStrayFiles(home: string, now: number, signal: AbortSignal): Promise<number> {
  const sweep = new Sweep(now, signal);
  for (const place of DRAFT_FOLDERS)
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

  async folder(path: string, place: DraftFolder, depth: number): Promise<void> {
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
