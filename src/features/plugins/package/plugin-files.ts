import { cp, mkdir, readdir, realpath, rename, rm } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { messageOf, ToolkeepError } from "../../../contract/errors.ts";
import type { NewId } from "../../../lib/id.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { PluginRecord, PluginSource } from "../../../machine/db/tables/sources/plugin-record.ts";
import { contentHash, isIgnored } from "./content.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { type NpmDeps, npmInstall, packageOf } from "./npm-install.ts";

export interface PluginFilesDeps extends NpmDeps {
  readonly home: string;
  readonly newId: NewId;
}

/** What is on disk of a plugin at one moment. */
export interface Found {
  /** Everything that was hashed and that its process may read; absolute, without symbolic links. */
  readonly root: string;
  readonly sha256: string;
  readonly manifest: Manifest;
}

/** Files that were fetched and are not a plugin's yet. */
export interface Fetched {
  readonly found: Found;
  /** Where they lie until `settle`; null: they are used where they are. */
  readonly staged: string | null;
}

const TEMPORARY = /^\.(new|old)-/;

/** The files of plugins: fetched from folders and npm, kept in `TOOLKEEP_HOME/plugins`. */
export class PluginFiles {
  readonly #deps: PluginFilesDeps;
  readonly #folder: string;

  constructor(deps: PluginFilesDeps) {
    this.#deps = deps;
    this.#folder = join(deps.home, "plugins");
  }

  /** Removes what an interrupted change left behind. */
  async clean(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => []))
      if (TEMPORARY.test(name)) await discard(join(this.#folder, name));
  }

  /** Where the files of a plugin are. */
  rootOf({ name, source }: Pick<PluginRecord, "name" | "source">): string {
    return source.kind === "link" ? source.spec : join(this.#folder, name);
  }

  /** Reads all of it. The error says why it cannot be used. */
  find(record: Pick<PluginRecord, "name" | "source" | "packageName">): Promise<Result<Found, string>> {
    return findIn(this.rootOf(record), record.source, record.packageName);
  }

  /** Throws BAD_REQUEST where there is nothing that can be used, and leaves nothing behind then. */
  async fetch(source: PluginSource, signal: AbortSignal): Promise<Fetched> {
    if (source.kind === "link") return { found: usable(await findIn(source.spec, source, "")), staged: null };
    const staged = join(this.#folder, `.${this.#deps.newId("new").replace("_", "-")}`);
    await mkdir(staged, { recursive: true, mode: 0o700 });
    try {
      const found = await this.#fetchInto(staged, source, signal);
      return { found: usable(found), staged };
    } catch (error) {
      await discard(staged);
      throw error;
    }
  }

  /** Puts fetched files in the place of those that the plugin has. Nothing of it may run meanwhile. */
  async settle(name: string, { staged }: Fetched): Promise<void> {
    if (staged === null) return;
    const place = join(this.#folder, name);
    const old = join(this.#folder, `.${this.#deps.newId("old").replace("_", "-")}`);
    await rename(place, old).catch(ignoreMissing);
    await rename(staged, place);
    await discard(old);
  }

  async discard({ staged }: Fetched): Promise<void> {
    if (staged !== null) await discard(staged);
  }

  /** A linked folder is a person's own and stays. */
  async remove(record: Pick<PluginRecord, "name" | "source">): Promise<void> {
    if (record.source.kind !== "link") await discard(this.rootOf(record));
  }

  async #fetchInto(
    staged: string,
    source: PluginSource,
    signal: AbortSignal,
  ): Promise<Result<Found, string>> {
    if (source.kind === "npm") {
      const installed = await npmInstall(source.spec, staged, this.#deps, signal);
      return installed.ok ? findIn(staged, source, packageOf(source.spec)!) : installed;
    }
    // Before anything is copied: this also bounds it.
    const original = await findIn(source.spec, source, "");
    if (!original.ok) return original;
    const wanted = (path: string) => !path.slice(original.value.root.length).split("/").some(isIgnored);
    await cp(original.value.root, staged, { recursive: true, verbatimSymlinks: true, filter: wanted });
    return findIn(staged, source, "");
  }
}

/** Throws BAD_REQUEST for what no plugin can come from. */
export function checkSource({ kind, spec }: PluginSource): PluginSource {
  if (kind === "npm" && packageOf(spec) === undefined)
    throw new ToolkeepError(
      "BAD_REQUEST",
      `expected a package of an npm registry, such as name, @scope/name or name@1.2.3; got ${JSON.stringify(spec.slice(0, 80))}`,
      { remedy: "For a folder, give its path: ./folder." },
    );
  if (kind !== "npm" && (!isAbsolute(spec) || spec.includes("\0")))
    throw new ToolkeepError(
      "BAD_REQUEST",
      `expected the absolute path of a folder; got ${JSON.stringify(spec.slice(0, 80))}`,
    );
  return { kind, spec };
}

/** The package of an npm plugin stands beside what it depends on, so its root is above it. */
async function findIn(
  folder: string,
  { kind }: PluginSource,
  packageName: string,
): Promise<Result<Found, string>> {
  try {
    const root = await realpath(folder);
    const sha256 = await contentHash(root);
    if (!sha256.ok) return sha256;
    const manifest = await readManifest(kind === "npm" ? join(root, "node_modules", packageName) : root);
    return manifest.ok ? ok({ root, sha256: sha256.value, manifest: manifest.value }) : manifest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      return err(`${folder} does not exist on this machine`);
    return err(`${folder} cannot be read: ${messageOf(error)}`);
  }
}

function usable(found: Result<Found, string>): Found {
  if (found.ok) return found.value;
  throw new ToolkeepError("BAD_REQUEST", found.error, {
    remedy: "A plugin is a package whose package.json has a toolkeep field: docs/plugins.md.",
  });
}

async function discard(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
