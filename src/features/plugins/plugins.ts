import { ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import type { Tool, ToolSource } from "../../contract/tool.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import type { NewId } from "../../lib/id.ts";
import { stableJson } from "../../lib/json.ts";
import type { ToolNameStore } from "../../machine/db/store.ts";
import type {
  PluginRecord,
  PluginSource,
  PluginStore,
} from "../../machine/db/tables/sources/plugin-record.ts";
import { checkDefinitions } from "./definitions.ts";
import { enforcementOf } from "./enforcement.ts";
import { KnownPlugin, type KnownPluginDeps, type PluginView } from "./known-plugin.ts";
import { checkPluginName, claimNames, defaultName, noSuchPlugin } from "./names.ts";
import { checkSource, type Fetched, type Found, PluginFiles } from "./package/plugin-files.ts";
import { PluginLog, type PluginLogLine } from "./plugin-log.ts";
import { LIMITS, type PluginLimits } from "./process/limits.ts";

export interface PluginsDeps
  extends Pick<KnownPluginDeps, "processes" | "baseEnv" | "isSecret" | "secrets" | "workspaceOf" | "clock"> {
  readonly home: string;
  readonly store: { readonly plugins: PluginStore; readonly toolNames: ToolNameStore };
  readonly redact: (text: string) => string;
  readonly events: Events;
  readonly newId: NewId;
  readonly limits?: Partial<PluginLimits>;
}

export interface EnableOptions {
  /** Only if its files are these: what the person has seen. Absent: whatever they are. */
  readonly sha256?: string;
  readonly trusted?: boolean;
}

const MAX_PLUGINS = 100;
const SHUTTING_DOWN = "Toolkeep is shutting down";
const EVERY = "every plugin";

/** Packages of others that bring tools. Nothing of them runs in this process, or before a person enabled it. */
export class Plugins implements ToolSource {
  readonly name = "plugins";
  readonly #deps: PluginsDeps;
  readonly #files: PluginFiles;
  readonly #each: KnownPluginDeps;
  readonly #serial = createSerial();
  readonly #stop = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #known = new Map<string, KnownPlugin>();
  #tools: readonly Tool[] = [];

  /** Starts nothing yet. Whoever opens it closes it. */
  static async open(deps: PluginsDeps): Promise<Plugins> {
    const files = new PluginFiles(deps);
    await files.clean();
    const plugins = new Plugins(deps, files);
    await plugins.reload();
    return plugins;
  }

  private constructor(deps: PluginsDeps, files: PluginFiles) {
    this.#deps = deps;
    this.#files = files;
    this.#each = {
      ...deps,
      files,
      limits: { ...LIMITS, ...deps.limits },
      enforcement: enforcementOf(process.allowedNodeEnvironmentFlags),
      onStatus: () => this.#publish(),
    };
  }

  tools(): readonly Tool[] {
    return this.#tools;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Looks at the files of every one. */
  async list(): Promise<readonly PluginView[]> {
    const views: PluginView[] = [];
    for (const plugin of [...this.#known.values()]) views.push(await plugin.view());
    return views;
  }

  /** Throws NOT_FOUND with the nearest name. */
  async get(name: string): Promise<PluginView> {
    return this.#get(name).view();
  }

  /** What it printed and what became of its processes, oldest first. */
  log(name: string): readonly PluginLogLine[] {
    return this.#get(name).log.read(this.#deps.redact);
  }

  /**
   * Fetches a plugin and reads what it says about itself; it stays disabled. Throws BAD_REQUEST where it cannot be
   * used, NAME_INVALID, NAME_TAKEN.
   */
  async add(
    given: PluginSource,
    options: { readonly name?: string; readonly signal?: AbortSignal } = {},
  ): Promise<PluginView> {
    const source = checkSource(given);
    if (options.name !== undefined) this.#checkNew(checkPluginName(options.name));
    const fetched = await this.#fetch(source, options.signal);
    const name = options.name ?? defaultName(fetched.found.manifest.packageName);
    return this.#serial(name, async () => {
      try {
        this.#checkNew(checkPluginName(name));
        const now = this.#deps.clock();
        const facts = factsOf(fetched.found);
        await this.#deps.store.plugins.create({
          ...{ name, source, ...facts, enabled: false, agreed: null, tools: [] },
          ...{ createdAt: now, updatedAt: now },
        });
      } catch (error) {
        await this.#files.discard(fetched);
        throw error;
      }
      await this.#files.settle(name, fetched);
      return this.#changed(name, "added");
    });
  }

  /**
   * Agrees to exactly these files and what they declare, starts it to learn its tools, and lets them be called. Throws
   * CHANGED where the files are others, BAD_REQUEST where it cannot be started or has no tools.
   */
  enable(name: string, { sha256, trusted = false }: EnableOptions = {}): Promise<PluginView> {
    return this.#serial(name, async () => {
      const plugin = this.#get(name);
      const found = await plugin.look();
      if (!found.ok) throw unusable(name, found.error);
      if (sha256 !== undefined && sha256 !== found.value.sha256)
        throw new ToolkeepError(
          "CHANGED",
          `plugin ${name} is no longer what was looked at: expected the content ${sha256.slice(0, 12)}, got ${found.value.sha256.slice(0, 12)}`,
          { remedy: `Look at it again: toolkeep plugin show ${name}.` },
        );
      const learned = await plugin.learn(found.value);
      if (!learned.ok) throw unusable(name, this.#deps.redact(learned.error));
      const { tools, warnings } = checkDefinitions(learned.value, this.#deps.redact);
      if (tools.length === 0) throw unusable(name, warnings[0] ?? "it has no tools");
      const names = await claimNames(
        this.#deps.store.toolNames,
        name,
        tools.map(({ ownName }) => ownName),
      );
      const now = this.#deps.clock();
      const facts = factsOf(found.value);
      const { permissions } = facts;
      await this.#deps.store.plugins.update(name, {
        ...facts,
        enabled: true,
        agreed: { sha256: facts.sha256, permissions, trusted, at: now },
        tools: tools.flatMap((tool) => {
          const known = names.get(tool.ownName);
          return known === undefined ? [] : [{ ...tool, name: known }];
        }),
        updatedAt: now,
      });
      return this.#changed(name, "changed", warnings);
    });
  }

  disable(name: string): Promise<PluginView> {
    return this.#serial(name, async () => {
      this.#get(name);
      await this.#deps.store.plugins.update(name, { enabled: false, updatedAt: this.#deps.clock() });
      return this.#changed(name, "changed");
    });
  }

  /** Fetches it anew from where it came. Where that brings anything else, it is disabled. */
  update(name: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<PluginView> {
    return this.#serial(name, async () => {
      const plugin = this.#get(name);
      const here = await plugin.look();
      const { record } = plugin;
      const fetched = await this.#fetch(here.ok ? record.source : sameVersion(record), signal);
      const { sha256, manifest } = fetched.found;
      if (manifest.packageName !== record.packageName) {
        await this.#files.discard(fetched);
        throw unusable(name, `expected the package ${record.packageName}, got ${manifest.packageName}`);
      }
      if (here.ok && here.value.sha256 === sha256) await this.#files.discard(fetched);
      else {
        await plugin.close(`plugin ${name} was updated`);
        await this.#files.settle(name, fetched);
      }
      // What was only missing here is as others know it; where it is not, its status says so here and nowhere else.
      if (here.ok && sha256 !== record.sha256)
        await this.#deps.store.plugins.update(name, {
          ...factsOf(fetched.found),
          enabled: record.enabled && record.agreed?.sha256 === sha256,
          updatedAt: this.#deps.clock(),
        });
      return this.#changed(name, "changed");
    });
  }

  /** The names of its tools stay taken. */
  remove(name: string): Promise<void> {
    return this.#serial(name, async () => {
      this.#get(name);
      await this.#deps.store.plugins.delete(name);
      await this.reload();
      this.#deps.events.emit("plugin.changed", { plugin: name, change: "removed" });
    });
  }

  /** Takes over what another process changed. */
  reload(): Promise<void> {
    return this.#serial(EVERY, async () => {
      const records = await this.#deps.store.plugins.list();
      const gone = new Set(this.#known.keys());
      for (const record of records) {
        gone.delete(record.name);
        await this.#take(record);
      }
      for (const name of gone) await this.#forget(name);
      this.#publish();
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all([...this.#known.values()].map((plugin) => plugin.close(SHUTTING_DOWN)));
    await this.#serial(EVERY, async () => {});
  }

  /** Puts a record in the place of the one that is known, where it says anything else. */
  async #take(record: PluginRecord, warnings?: readonly string[]): Promise<void> {
    const before = this.#known.get(record.name);
    if (before && warnings === undefined && stableJson(before.record) === stableJson(record)) return;
    await before?.close(`plugin ${record.name} was ${record.enabled ? "enabled anew" : "disabled"}`);
    const log = before?.log ?? new PluginLog(this.#deps.clock);
    this.#known.set(record.name, new KnownPlugin(record, log, warnings ?? [], this.#each));
  }

  async #forget(name: string): Promise<void> {
    const plugin = this.#get(name);
    await plugin.close(`plugin ${name} was removed`);
    this.#known.delete(name);
    await this.#files.remove(plugin.record);
  }

  async #changed(
    name: string,
    change: "added" | "changed",
    warnings?: readonly string[],
  ): Promise<PluginView> {
    await this.#serial(EVERY, async () => {
      const records = await this.#deps.store.plugins.list();
      const record = records.find((each) => each.name === name);
      if (record) await this.#take(record, warnings ?? []);
      this.#publish();
    });
    this.#deps.events.emit("plugin.changed", { plugin: name, change });
    return this.#get(name).view();
  }

  #publish(): void {
    const sorted = [...this.#known.keys()].sort();
    this.#tools = sorted.flatMap((name) => this.#known.get(name)!.tools);
    for (const listener of this.#listeners) listener();
  }

  #fetch(source: PluginSource, signal: AbortSignal | undefined): Promise<Fetched> {
    const { signal: stop } = this.#stop;
    return this.#files.fetch(source, signal ? AbortSignal.any([signal, stop]) : stop);
  }

  #get(name: string): KnownPlugin {
    const known = this.#known.get(name);
    if (known) return known;
    throw noSuchPlugin(name, this.#known.keys());
  }

  #checkNew(name: string): void {
    if (this.#known.has(name))
      throw new ToolkeepError("NAME_TAKEN", `a plugin named ${name} is there already`, {
        remedy: `Fetch it anew with toolkeep plugin update ${name}, or give this one another name with --name.`,
      });
    if (this.#known.size >= MAX_PLUGINS)
      throw new ToolkeepError("TOO_MANY", `there are ${MAX_PLUGINS} plugins already`, {
        remedy: "Remove one that is no longer needed: toolkeep plugin remove NAME.",
      });
  }
}

function factsOf({ sha256, manifest }: Found) {
  const { packageName, version, description, permissions } = manifest;
  return { packageName, version, description, sha256, permissions: { ...permissions } };
}

/** Where the files are missing here, exactly those are wanted that a person has seen elsewhere. */
function sameVersion({ source, packageName, version }: PluginRecord): PluginSource {
  return source.kind === "npm" ? { kind: "npm", spec: `${packageName}@${version}` } : source;
}

function unusable(name: string, problem: string): ToolkeepError {
  return new ToolkeepError("BAD_REQUEST", `plugin ${name} cannot be used: ${problem}`, {
    remedy: `Look at what it printed: toolkeep plugin show ${name}.`,
  });
}
