import { cp, mkdir, readdir, realpath, rename, rm } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { messageOf, ToolkeepError } from "../../../contract/errors.ts";
import type { NewId } from "../../../lib/id.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { PluginRecord, PluginSource } from "../contract.ts";
import { hashContent, isIgnored } from "./content.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { type NpmDeps, npmInstall, parsePackageName } from "./npm-install.ts";

export interface PluginFilesDeps extends NpmDeps {
  readonly home: string;
  readonly newId: NewId;
}

/** The files of a plugin at one moment. */
export interface PluginSnapshot {
  /** The folder that was hashed and that its process may read; absolute, without symbolic links. */
  readonly root: string;
  readonly sha256: string;
  readonly manifest: Manifest;
}

/** Fetched files that are not installed yet. */
export interface FetchedPlugin {
  readonly found: PluginSnapshot;
  /** The temporary folder until `settle`; null if the files are used in place. */
  readonly staged: string | null;
}

const TEMPORARY = /^\.(new|old)-/;

/** Fetches the files of plugins from folders and npm, and keeps them in `TOOLKEEP_HOME/plugins`. */
export class PluginFiles {
  readonly #deps: PluginFilesDeps;
  readonly #folder: string;

  constructor(deps: PluginFilesDeps) {
    this.#deps = deps;
    this.#folder = join(deps.home, "plugins");
  }

  /** Removes leftovers of interrupted changes. */
  async clean(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => []))
      if (TEMPORARY.test(name)) await removeFolder(join(this.#folder, name));
  }

  /** The folder of a plugin's files. */
  getRoot({ name, source }: Pick<PluginRecord, "name" | "source">): string {
    return source.kind === "link" ? source.spec : join(this.#folder, name);
  }

  /** Reads all files. The error says why they cannot be used. */
  find(
    record: Pick<PluginRecord, "name" | "source" | "packageName">,
  ): Promise<Result<PluginSnapshot, string>> {
    return readSnapshot(this.getRoot(record), record.source, record.packageName);
  }

  /** Throws BAD_REQUEST if the source is not usable, and then leaves nothing behind. */
  async fetch(source: PluginSource, signal: AbortSignal): Promise<FetchedPlugin> {
    if (source.kind === "link")
      return { found: requireUsable(await readSnapshot(source.spec, source, "")), staged: null };
    const staged = join(this.#folder, `.${this.#deps.newId("new").replace("_", "-")}`);
    await mkdir(staged, { recursive: true, mode: 0o700 });
    try {
      const snapshot = await this.#fetchInto(staged, source, signal);
      return { found: requireUsable(snapshot), staged };
    } catch (error) {
      await removeFolder(staged);
      throw error;
    }
  }

  /** Replaces the plugin's files with the fetched ones. The plugin must not be running. */
  async settle(name: string, { staged }: FetchedPlugin): Promise<void> {
    if (staged === null) return;
    const target = join(this.#folder, name);
    const old = join(this.#folder, `.${this.#deps.newId("old").replace("_", "-")}`);
    await rename(target, old).catch(ignoreMissing);
    await rename(staged, target);
    await removeFolder(old);
  }

  async discard({ staged }: FetchedPlugin): Promise<void> {
    if (staged !== null) await removeFolder(staged);
  }

  /** A linked folder belongs to a person and is kept. */
  async remove(record: Pick<PluginRecord, "name" | "source">): Promise<void> {
    if (record.source.kind !== "link") await removeFolder(this.getRoot(record));
  }

  async #fetchInto(
    staged: string,
    source: PluginSource,
    signal: AbortSignal,
  ): Promise<Result<PluginSnapshot, string>> {
    if (source.kind === "npm") {
      const installed = await npmInstall(source.spec, staged, this.#deps, signal);
      return installed.ok ? readSnapshot(staged, source, parsePackageName(source.spec)!) : installed;
    }
    // Check the source before copying; this also limits its size.
    const original = await readSnapshot(source.spec, source, "");
    if (!original.ok) return original;
    const isCopied = (path: string) => !path.slice(original.value.root.length).split("/").some(isIgnored);
    await cp(original.value.root, staged, { recursive: true, verbatimSymlinks: true, filter: isCopied });
    return readSnapshot(staged, source, "");
  }
}

/** Throws BAD_REQUEST for an invalid source. */
export function checkSource({ kind, spec }: PluginSource): PluginSource {
  if (kind === "npm" && parsePackageName(spec) === undefined)
    throw new ToolkeepError(
      "BAD_REQUEST",
      `expected an npm package such as name, @scope/name or name@1.2.3; got ${JSON.stringify(spec.slice(0, 80))}`,
      { remedy: "For a folder, give its path: ./folder." },
    );
  if (kind !== "npm" && (!isAbsolute(spec) || spec.includes("\0")))
    throw new ToolkeepError(
      "BAD_REQUEST",
      `expected the absolute path of a folder; got ${JSON.stringify(spec.slice(0, 80))}`,
    );
  return { kind, spec };
}

/** The root of an npm plugin is above its package, because its dependencies are installed next to it. */
async function readSnapshot(
  folder: string,
  { kind }: PluginSource,
  packageName: string,
): Promise<Result<PluginSnapshot, string>> {
  try {
    const root = await realpath(folder);
    const sha256 = await hashContent(root);
    if (!sha256.ok) return sha256;
    const manifest = await readManifest(kind === "npm" ? join(root, "node_modules", packageName) : root);
    return manifest.ok ? ok({ root, sha256: sha256.value, manifest: manifest.value }) : manifest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      return err(`${folder} does not exist on this machine`);
    return err(`${folder} cannot be read: ${messageOf(error)}`);
  }
}

function requireUsable(found: Result<PluginSnapshot, string>): PluginSnapshot {
  if (found.ok) return found.value;
  throw new ToolkeepError("BAD_REQUEST", found.error, {
    remedy: "A plugin is a package whose package.json has a toolkeep field; see docs/plugins.md.",
  });
}

async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
