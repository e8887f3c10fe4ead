import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Tool, ToolSource, ToolStatus } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import { nearest } from "../../lib/nearest.ts";
import type {
  CustomToolRecord,
  CustomToolStore,
} from "../../machine/db/tables/sources/custom-tool-record.ts";
import { customTool } from "./custom-tool.ts";
import { type CustomToolView, customToolView } from "./custom-tool-view.ts";
import { FolderWatch } from "./folder-watch.ts";
import { type FoundTool, missingSecrets, PREFIX, statusOf } from "./found-tool.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { writeNewTool } from "./new-tool.ts";
import { removeLeftCopies, type ScriptDeps, scriptOf, scriptPath } from "./run-script.ts";
import { ScriptCalls } from "./script-calls.ts";
import type { Language } from "./templates.ts";
import { EMPTY, type Scan, ToolFolders } from "./tool-folders.ts";

export interface CustomDeps extends ScriptDeps {
  readonly store: CustomToolStore;
  readonly clock: Clock;
  /** The folders could not be looked at; what was known stays. */
  readonly onProblem: (error: unknown) => void;
}

const SCAN = "scan";

/** The user's scripts as tools, each in a folder of `TOOLKEEP_HOME/tools`. Tools are named by slug or by `custom_<slug>`. */
export class Custom implements ToolSource {
  readonly name = "custom";
  readonly #deps: CustomDeps;
  readonly #folders: ToolFolders;
  readonly #watch: FolderWatch;
  readonly #serial = createSerial();
  readonly #listeners = new Set<() => void>();
  readonly #calls = new ScriptCalls();
  #scan: Scan = EMPTY;
  #records: ReadonlyMap<string, CustomToolRecord> = new Map();
  #tools: readonly Tool[] = [];
  #state = "";

  /** Looks at the folders and watches them. Whoever opens it closes it. */
  static async open(deps: CustomDeps): Promise<Custom> {
    const custom = new Custom(deps);
    await removeLeftCopies(deps.home, deps.clock());
    await custom.reload();
    return custom;
  }

  private constructor(deps: CustomDeps) {
    this.#deps = deps;
    this.#folders = new ToolFolders(deps.home, (manifest) => scriptPath(manifest, deps.baseEnv));
    this.#watch = new FolderWatch(() => void this.refresh().catch(deps.onProblem));
  }

  tools(): readonly Tool[] {
    return this.#tools;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Looks at the folders again; reads only what has changed. One at a time: of two looks the older must not come last. */
  refresh(): Promise<void> {
    return this.#serial(SCAN, async () => {
      this.#scan = await this.#folders.scan(this.#scan);
      this.#watch.set(this.#scan.folders);
      this.#publish();
    });
  }

  /** Takes over what another process enabled or disabled. */
  async reload(): Promise<void> {
    await this.#serial(SCAN, async () => {
      const records = await this.#deps.store.list();
      this.#records = new Map(records.map((record) => [record.slug, record]));
    });
    await this.refresh();
  }

  list(): readonly CustomToolView[] {
    return this.#slugs().map((slug) => this.#view(slug));
  }

  /** Folders of `tools` that cannot be a tool, and why. */
  problems(): readonly string[] {
    return this.#scan.problems;
  }

  /** Throws NOT_FOUND with the nearest name. */
  get(name: string): CustomToolView {
    return this.#view(this.#slugOf(name));
  }

  /** Writes a script that works, to be changed. Throws NAME_INVALID, NAME_TAKEN. */
  async create(name: string, language: Language): Promise<CustomToolView> {
    const slug = await writeNewTool(this.#folders.root, name, language);
    await this.refresh();
    return this.get(slug);
  }

  /**
   * Enables exactly the content that has this hash, which is the one a person was shown. Throws CHANGED where the folder
   * holds another by now, BAD_REQUEST where it cannot be used.
   */
  async enable(
    name: string,
    { sha256, by }: { readonly sha256: string; readonly by: string },
  ): Promise<CustomToolView> {
    await this.refresh();
    const slug = this.#slugOf(name);
    const found = this.#found(slug);
    if (!found.read.ok) throw unusable(slug, found.read.error);
    if (sha256 !== found.sha256) {
      throw new ToolkeepError(
        "CHANGED",
        `${PREFIX}${slug} is no longer what was looked at: expected the content ${sha256.slice(0, 12)}, got ${found.sha256?.slice(0, 12)}`,
        { remedy: `Look at it again in ${found.folder}, then enable it.` },
      );
    }
    await this.#deps.store.put({
      slug,
      sha256,
      manifest: found.read.value.written,
      enabledBy: by,
      enabledAt: this.#deps.clock(),
    });
    await this.reload();
    return this.get(slug);
  }

  async disable(name: string): Promise<CustomToolView> {
    const slug = this.#slugOf(name);
    const view = this.#view(slug);
    if (this.#records.has(slug)) await this.#deps.store.delete(slug);
    await this.reload();
    if (this.#isKnown(slug)) return this.get(slug);
    const reason = `${view.name} is not enabled, and its folder is not on this machine.`;
    return { ...view, status: { kind: "disabled", reason }, enabled: null };
  }

  /** Puts the folder aside and resolves with where it is then; null: there was none. */
  async remove(name: string): Promise<string | null> {
    await this.refresh();
    const slug = this.#slugOf(name);
    if (this.#records.has(slug)) await this.#deps.store.delete(slug);
    const found = this.#scan.tools.get(slug);
    const aside = found && (await this.#putAside(found));
    await this.reload();
    return aside ?? null;
  }

  /**
   * The tool as it is in its folder now, enabled or not, for a person to try it. Its results have `exitCode`, `signal`
   * and the end of `stderr` in `meta`. Throws BAD_REQUEST where it cannot be run.
   */
  async trial(name: string): Promise<Tool> {
    await this.refresh();
    const slug = this.#slugOf(name);
    const found = this.#found(slug);
    if (!found.read.ok) throw unusable(slug, found.read.error);
    const { manifest, launch } = found.read.value;
    if (!launch.ok) throw unusable(slug, launch.error);
    const [missing] = missingSecrets(manifest, this.#isSecret);
    if (missing !== undefined) throw withoutSecret(slug, missing);
    const script = scriptOf(`${PREFIX}${slug}`, found);
    return this.#calls.counted(
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

  /** Tells the listeners, where anything is not as it was. */
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
    return this.#calls.counted(
      customTool({
        slug,
        manifest: manifestOf(found, record),
        status: () => this.#status(slug),
        script: () =>
          this.#status(slug).kind === "active" ? scriptOf(`${PREFIX}${slug}`, found) : undefined,
        deps: this.#deps,
        onRan: (ran) => {
          if (ran.kind === "refused") void this.refresh().catch(this.#deps.onProblem);
        },
      }),
    );
  }

  readonly #isSecret = (name: string) => this.#deps.secrets.has(name);

  #status(slug: string): ToolStatus {
    return statusOf(slug, this.#scan.tools.get(slug), this.#records.get(slug), this.#isSecret);
  }

  #view(slug: string): CustomToolView {
    const found = this.#scan.tools.get(slug);
    return customToolView(slug, {
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
      { remedy: `toolkeep tool new makes one; toolkeep tool list shows what there is.` },
    );
  }

  #found(slug: string): FoundTool {
    const found = this.#scan.tools.get(slug);
    if (found) return found;
    throw new ToolkeepError(
      "NOT_FOUND",
      `${PREFIX}${slug} has no folder on this machine: expected ${join(this.#folders.root, slug)}`,
      { remedy: "Put its folder there." },
    );
  }

  /** A person's script is not deleted: it may be the only copy. */
  async #putAside({ slug, folder }: FoundTool): Promise<string> {
    const removed = join(this.#deps.home, "removed-tools");
    await mkdir(removed, { recursive: true, mode: 0o700 });
    const place = join(removed, `${slug}-${this.#deps.clock()}`);
    await rename(folder, place);
    return place;
  }
}

/** What the folder says or, where it is not here, what it said when it was enabled. */
function manifestOf(
  found: FoundTool | undefined,
  record: CustomToolRecord | undefined,
): Manifest | undefined {
  if (found) return found.read.ok ? found.read.value.manifest : undefined;
  const read = record && readManifest(JSON.stringify(record.manifest));
  return read?.ok ? read.value.manifest : undefined;
}

function unusable(slug: string, problem: string): ToolkeepError {
  return new ToolkeepError("BAD_REQUEST", `${PREFIX}${slug} cannot be used: ${problem}`, {
    remedy: "Correct what the message names and try again.",
  });
}

function withoutSecret(slug: string, secret: string): ToolkeepError {
  return new ToolkeepError(
    "BAD_REQUEST",
    `${PREFIX}${slug} needs the secret ${secret}, which is not stored`,
    { remedy: `Store it: toolkeep call prompt_secret name=${secret} reason=${PREFIX}${slug}` },
  );
}
