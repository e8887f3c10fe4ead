import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Tool, ToolSource, ToolStatus } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import { nearest } from "../../lib/nearest.ts";
import type { Records } from "../../machine/db/query/records.ts";
import type { CustomToolRecord, CustomToolView } from "./contract.ts";
import { customTool } from "./custom-tool.ts";
import { toCustomToolView } from "./custom-tool-view.ts";
import { FolderWatch } from "./folder-watch.ts";
import { type Manifest, parseManifest } from "./manifest.ts";
import { writeNewTool } from "./new-tool.ts";
import { getScriptPath, removeStaleCopies, type ScriptDeps, toScript } from "./run-script.ts";
import { findMissingSecrets, getStatus, PREFIX, type ScannedTool } from "./scanned-tool.ts";
import { ScriptCalls } from "./script-calls.ts";
import type { customTools } from "./tables.ts";
import type { Language } from "./templates.ts";
import { EMPTY_SCAN, type FolderScan, ToolFolders } from "./tool-folders.ts";

export interface CustomDeps extends ScriptDeps {
  readonly records: Records<typeof customTools>;
  readonly clock: Clock;
  /** The folders could not be scanned; the known tools stay. */
  readonly onProblem: (error: unknown) => void;
}

const SCAN = "scan";

/** The user's scripts as tools, each in a folder of `TOOLKEEP_HOME/tools`. Methods accept the slug or `custom_<slug>`. */
export class Custom implements ToolSource {
  readonly name = "custom";
  readonly #deps: CustomDeps;
  readonly #folders: ToolFolders;
  readonly #watch: FolderWatch;
  readonly #serial = createSerial();
  readonly #listeners = new Set<() => void>();
  readonly #calls = new ScriptCalls();
  #scan: FolderScan = EMPTY_SCAN;
  #records: ReadonlyMap<string, CustomToolRecord> = new Map();
  #tools: readonly Tool[] = [];
  #state = "";

  /** Scans the folders and watches them. The caller has to close it. */
  static async open(deps: CustomDeps): Promise<Custom> {
    const custom = new Custom(deps);
    await removeStaleCopies(deps.home, deps.clock());
    await custom.reload();
    return custom;
  }

  private constructor(deps: CustomDeps) {
    this.#deps = deps;
    this.#folders = new ToolFolders(deps.home, (manifest) => getScriptPath(manifest, deps.baseEnv));
    this.#watch = new FolderWatch(() => void this.refresh().catch(deps.onProblem));
  }

  tools(): readonly Tool[] {
    return this.#tools;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Scans the folders again and reads only what changed. Scans run one at a time, so that an older one cannot overwrite a newer one. */
  refresh(): Promise<void> {
    return this.#serial(SCAN, async () => {
      this.#scan = await this.#folders.scan(this.#scan);
      this.#watch.set(this.#scan.folders);
      this.#publish();
    });
  }

  /** Applies what another process enabled or disabled. */
  async reload(): Promise<void> {
    await this.#serial(SCAN, async () => {
      const records = await this.#deps.records.list(["slug"]);
      this.#records = new Map(records.map((record) => [record.slug, record]));
    });
    await this.refresh();
  }

  list(): readonly CustomToolView[] {
    return this.#slugs().map((slug) => this.#view(slug));
  }

  /** Folders in `tools` that are not usable, and why. */
  problems(): readonly string[] {
    return this.#scan.problems;
  }

  /** Throws NOT_FOUND, with the nearest name. */
  get(name: string): CustomToolView {
    return this.#view(this.#slugOf(name));
  }

  /** Creates a tool from a working template. Throws NAME_INVALID or NAME_TAKEN. */
  async create(name: string, language: Language): Promise<CustomToolView> {
    const slug = await writeNewTool(this.#folders.root, name, language);
    await this.refresh();
    return this.get(slug);
  }

  /**
   * Enables exactly the content with this hash, which a person has reviewed. Throws CHANGED if the content is different by
   * now, and BAD_REQUEST if it cannot be used.
   */
  async enable(
    name: string,
    { sha256, by }: { readonly sha256: string; readonly by: string },
  ): Promise<CustomToolView> {
    await this.refresh();
    const slug = this.#slugOf(name);
    const found = this.#found(slug);
    if (!found.read.ok) throw unusableError(slug, found.read.error);
    if (sha256 !== found.sha256) {
      throw new ToolkeepError(
        "CHANGED",
        `${PREFIX}${slug} changed since it was reviewed: expected content ${sha256.slice(0, 12)}, got ${found.sha256?.slice(0, 12)}`,
        { remedy: `Review ${found.folder} again, then enable it.` },
      );
    }
    await this.#deps.records.put({
      slug,
      sha256,
      manifest: found.read.value.raw,
      enabledBy: by,
      enabledAt: this.#deps.clock(),
    });
    await this.reload();
    return this.get(slug);
  }

  async disable(name: string): Promise<CustomToolView> {
    const slug = this.#slugOf(name);
    const view = this.#view(slug);
    if (this.#records.has(slug)) await this.#deps.records.delete({ slug });
    await this.reload();
    if (this.#isKnown(slug)) return this.get(slug);
    const reason = `${view.name} is not enabled, and its folder does not exist on this machine.`;
    return { ...view, status: { kind: "disabled", reason }, enabled: null };
  }

  /** Moves the folder aside and resolves with its new path; null if there was none. */
  async remove(name: string): Promise<string | null> {
    await this.refresh();
    const slug = this.#slugOf(name);
    if (this.#records.has(slug)) await this.#deps.records.delete({ slug });
    const found = this.#scan.tools.get(slug);
    const movedTo = found && (await this.#putAside(found));
    await this.reload();
    return movedTo ?? null;
  }

  /**
   * The tool as it is in its folder now, enabled or not, for a person to try. Its results have `exitCode`, `signal` and
   * the end of `stderr` in `meta`. Throws BAD_REQUEST if it cannot be run.
   */
  async trial(name: string): Promise<Tool> {
    await this.refresh();
    const slug = this.#slugOf(name);
    const found = this.#found(slug);
    if (!found.read.ok) throw unusableError(slug, found.read.error);
    const { manifest, launch } = found.read.value;
    if (!launch.ok) throw unusableError(slug, launch.error);
    const [missing] = findMissingSecrets(manifest, this.#isSecret);
    if (missing !== undefined) throw missingSecretError(slug, missing);
    const script = toScript(`${PREFIX}${slug}`, found);
    return this.#calls.track(
      customTool({
        slug,
        manifest,
        status: () => ({ kind: "active" }),
        script: () => script,
        deps: this.#deps,
        isTrial: true,
      }),
    );
  }

  async close(): Promise<void> {
    this.#watch.close();
    await this.#calls.close();
    await this.#serial(SCAN, async () => {});
  }

  /** Notifies the listeners if anything changed. */
  #publish(): void {
    const slugs = this.#slugs();
    const state = JSON.stringify(
      slugs.map((slug) => [slug, this.#scan.tools.get(slug), this.#records.get(slug)]),
    );
    if (state === this.#state) return;
    this.#state = state;
    this.#tools = slugs.map((slug) => this.#tool(slug));
    for (const listener of this.#listeners) listener();
  }

  #tool(slug: string): Tool {
    const found = this.#scan.tools.get(slug);
    const record = this.#records.get(slug);
    return this.#calls.track(
      customTool({
        slug,
        manifest: chooseManifest(found, record),
        status: () => this.#status(slug),
        script: () =>
          this.#status(slug).kind === "active" ? toScript(`${PREFIX}${slug}`, found) : undefined,
        deps: this.#deps,
        onRan: (ran) => {
          if (ran.kind === "refused") void this.refresh().catch(this.#deps.onProblem);
        },
      }),
    );
  }

  readonly #isSecret = (name: string) => this.#deps.secrets.has(name);

  #status(slug: string): ToolStatus {
    return getStatus(slug, this.#scan.tools.get(slug), this.#records.get(slug), this.#isSecret);
  }

  #view(slug: string): CustomToolView {
    const found = this.#scan.tools.get(slug);
    return toCustomToolView(slug, {
      folder: found?.folder ?? join(this.#folders.root, slug),
      status: this.#status(slug),
      found,
      record: this.#records.get(slug),
    });
  }

  #slugs(): string[] {
    return [...new Set([...this.#scan.tools.keys(), ...this.#records.keys()])].sort();
  }

  #isKnown(slug: string): boolean {
    return this.#scan.tools.has(slug) || this.#records.has(slug);
  }

  #slugOf(name: string): string {
    const slug = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
    const exact = [name, slug, slug.replaceAll("-", "_")].find((each) => this.#isKnown(each));
    if (exact !== undefined) return exact;
    const guess = nearest(slug, this.#slugs());
    throw new ToolkeepError(
      "NOT_FOUND",
      `no custom tool is named ${name}${guess ? `; did you mean ${PREFIX}${guess}?` : ""}`,
      { remedy: `Run toolkeep tool list to see the tools, or toolkeep tool new to create one.` },
    );
  }

  #found(slug: string): ScannedTool {
    const found = this.#scan.tools.get(slug);
    if (found) return found;
    throw new ToolkeepError(
      "NOT_FOUND",
      `${PREFIX}${slug} has no folder on this machine; expected ${join(this.#folders.root, slug)}`,
      { remedy: "Copy its folder there." },
    );
  }

  /** Keeps a person's script, because it may be the only copy. */
  async #putAside({ slug, folder }: ScannedTool): Promise<string> {
    const removed = join(this.#deps.home, "removed-tools");
    await mkdir(removed, { recursive: true, mode: 0o700 });
    const target = join(removed, `${slug}-${this.#deps.clock()}`);
    await rename(folder, target);
    return target;
  }
}

/** The manifest in the folder or, if the folder is missing here, the one that was enabled. */
function chooseManifest(
  found: ScannedTool | undefined,
  record: CustomToolRecord | undefined,
): Manifest | undefined {
  if (found) return found.read.ok ? found.read.value.manifest : undefined;
  const read = record && parseManifest(JSON.stringify(record.manifest));
  return read?.ok ? read.value.manifest : undefined;
}

function unusableError(slug: string, problem: string): ToolkeepError {
  return new ToolkeepError("BAD_REQUEST", `${PREFIX}${slug} cannot be used: ${problem}`, {
    remedy: "Fix the problem and try again.",
  });
}

function missingSecretError(slug: string, secret: string): ToolkeepError {
  return new ToolkeepError(
    "BAD_REQUEST",
    `${PREFIX}${slug} needs the secret ${secret}, which is not stored`,
    { remedy: `Store it: toolkeep call prompt_secret name=${secret} reason=${PREFIX}${slug}` },
  );
}
