import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "./manifest.ts";
import { readTool, type ScannedTool } from "./scanned-tool.ts";
import { listFolder } from "./script-folder.ts";

/** The contents of the folder of custom tools. */
export interface FolderScan {
  readonly tools: ReadonlyMap<string, ScannedTool>;
  /** Folders that are not usable, and why. */
  readonly problems: readonly string[];
  /** The folders to watch for changes. */
  readonly folders: ReadonlySet<string>;
}

export const EMPTY_SCAN: FolderScan = { tools: new Map(), problems: [], folders: new Set() };

/** Short enough that clients accept the name with the prefix `custom_`. */
export const SLUG = /^[a-z][a-z0-9_]{0,39}$/;
const MAX_TOOLS = 200;

/** Scans the folders and reads only those that changed. */
export class ToolFolders {
  readonly root: string;
  readonly #pathOf: (manifest: Manifest) => string | undefined;
  readonly #versions = new Map<string, string>();

  constructor(home: string, pathOf: (manifest: Manifest) => string | undefined) {
    this.root = join(home, "tools");
    this.#pathOf = pathOf;
  }

  /** If the root folder cannot be read, the tools of `before` stay. */
  async scan(before: FolderScan): Promise<FolderScan> {
    let names: readonly string[];
    try {
      await mkdir(this.root, { recursive: true, mode: 0o700 });
      names = await this.#names();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      return { ...before, problems: [`${this.root} cannot be read (${code})`] };
    }
    const usable = names.filter((name) => SLUG.test(name));
    const problems = [
      ...names.filter((name) => !SLUG.test(name)).map(explainBadName),
      ...usable.slice(MAX_TOOLS).map((name) => `${name}: only the first ${MAX_TOOLS} folders are used`),
    ];
    const tools = new Map<string, ScannedTool>();
    const folders = new Set([this.root]);
    for (const slug of usable.slice(0, MAX_TOOLS)) {
      const folder = join(this.root, slug);
      const listing = await listFolder(folder);
      // Watch a folder even if listing it failed, so that a fix is noticed.
      for (const each of listing.ok ? listing.value.folders : [folder]) folders.add(each);
      const version = listing.ok ? listing.value.version : `unusable: ${listing.error}`;
      const known = before.tools.get(slug);
      const isSame = known !== undefined && this.#versions.get(slug) === version && isComplete(known);
      tools.set(slug, isSame ? known : await readTool(slug, folder, this.#pathOf));
      this.#versions.set(slug, version);
    }
    for (const slug of this.#versions.keys()) if (!tools.has(slug)) this.#versions.delete(slug);
    return { tools, problems, folders };
  }

  /** The sorted names of the folders. Files next to them are ignored. */
  async #names(): Promise<string[]> {
    const entries = await readdir(this.root, { withFileTypes: true });
    const folders = await Promise.all(
      entries
        .filter(({ name }) => !name.startsWith("."))
        .map(async (entry) => {
          if (!entry.isSymbolicLink()) return entry.isDirectory();
          return stat(join(this.root, entry.name))
            .then((found) => found.isDirectory())
            .catch(() => false);
        }),
    );
    return entries
      .filter(({ name }) => !name.startsWith("."))
      .filter((_, index) => folders[index])
      .map(({ name }) => name)
      .sort();
  }
}

/** False if something is missing outside the folder, such as an interpreter that may have been installed since. */
function isComplete({ read }: ScannedTool): boolean {
  return read.ok && read.value.launch.ok;
}

function explainBadName(name: string): string {
  const better = name
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "_")
    .replace(/^[^a-z]+/, "")
    .slice(0, 40);
  const advice = better === "" ? "" : `; rename it, for instance to ${better}`;
  return `${JSON.stringify(name.slice(0, 100))}: the name of a tool's folder must be lower-case letters, digits and _, at most 40 characters${advice}`;
}
