import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type FoundTool, findTool } from "./found-tool.ts";
import type { Manifest } from "./manifest.ts";
import { listFolder } from "./script-folder.ts";

/** What the folder of custom tools holds. */
export interface Scan {
  readonly tools: ReadonlyMap<string, FoundTool>;
  /** What of it cannot be a tool, and why. */
  readonly problems: readonly string[];
  /** Everything that has to be watched to hear of a change. */
  readonly folders: ReadonlySet<string>;
}

export const EMPTY: Scan = { tools: new Map(), problems: [], folders: new Set() };

/** With `custom_` in front a name stays as short as hosts take it. */
export const SLUG = /^[a-z][a-z0-9_]{0,39}$/;
const MAX_TOOLS = 200;

/** Looks at every folder and reads those that are not as they were; the others are taken over from before. */
export class ToolFolders {
  readonly root: string;
  readonly #pathOf: (manifest: Manifest) => string | undefined;
  readonly #versions = new Map<string, string>();

  constructor(home: string, pathOf: (manifest: Manifest) => string | undefined) {
    this.root = join(home, "tools");
    this.#pathOf = pathOf;
  }

  /** Where the folder of all of them cannot be read, what was known stays. */
  async scan(before: Scan): Promise<Scan> {
    let names: readonly string[];
    try {
      await mkdir(this.root, { recursive: true, mode: 0o700 });
      names = await this.#names();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      return { ...before, problems: [`${this.root}: it cannot be looked at (${code})`] };
    }
    const usable = names.filter((name) => SLUG.test(name));
    const problems = [
      ...names.filter((name) => !SLUG.test(name)).map(unusableName),
      ...usable.slice(MAX_TOOLS).map((name) => `${name}: only the first ${MAX_TOOLS} folders are looked at`),
    ];
    const tools = new Map<string, FoundTool>();
    const folders = new Set([this.root]);
    for (const slug of usable.slice(0, MAX_TOOLS)) {
      const folder = join(this.root, slug);
      const listing = await listFolder(folder);
      // Also where the list could not be made: what is put right later is then noticed.
      for (const each of listing.ok ? listing.value.folders : [folder]) folders.add(each);
      const version = listing.ok ? listing.value.version : `unusable: ${listing.error}`;
      const known = before.tools.get(slug);
      const isSame = known !== undefined && this.#versions.get(slug) === version && isComplete(known);
      tools.set(slug, isSame ? known : await findTool(slug, folder, this.#pathOf));
      this.#versions.set(slug, version);
    }
    for (const slug of this.#versions.keys()) if (!tools.has(slug)) this.#versions.delete(slug);
    return { tools, problems, folders };
  }

  /** Sorted. Files beside the folders are none of our business. */
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

/** An interpreter may have been installed since, which changes nothing in the folder. */
function isComplete({ read }: FoundTool): boolean {
  return read.ok && read.value.launch.ok;
}

function unusableName(name: string): string {
  const better = name
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "_")
    .replace(/^[^a-z]+/, "")
    .slice(0, 40);
  const advice = better === "" ? "" : `; rename it, for instance to ${better}`;
  return `${JSON.stringify(name.slice(0, 100))}: a folder of a tool has a name of lower-case letters, digits and _, at most 40${advice}`;
}
