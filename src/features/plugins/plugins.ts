import { ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import type { Tool, ToolSource } from "../../contract/tool.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import type { NewId } from "../../lib/id.ts";
import { stableJson } from "../../lib/json.ts";
import { unlessTaken } from "../../machine/db/database.ts";
import type { Records } from "../../machine/db/query/records.ts";
import type { ToolNameTable } from "../../servers/tables/tool-names.ts";
import type { PluginLogLine, PluginRecord, PluginSource, PluginView } from "./contract.ts";
import { checkDefinitions } from "./definitions.ts";
import { detectEnforcement } from "./enforcement.ts";
import { KnownPlugin, type KnownPluginDeps } from "./known-plugin.ts";
import { checkPluginName, claimNames, deriveName, unknownPluginError } from "./names.ts";
import { checkSource, type FetchedPlugin, PluginFiles, type PluginSnapshot } from "./package/plugin-files.ts";
import { PluginLog } from "./plugin-log.ts";
import { LIMITS, type PluginLimits } from "./process/limits.ts";
import type { plugins } from "./tables.ts";

export interface PluginsDeps
  extends Pick<KnownPluginDeps, "processes" | "baseEnv" | "isSecret" | "secrets" | "workspaceOf" | "clock"> {
  readonly home: string;
  readonly records: Records<typeof plugins>;
  readonly toolNames: ToolNameTable;
  readonly redact: (text: string) => string;
  readonly events: Events;
  readonly newId: NewId;
  readonly limits?: Partial<PluginLimits>;
}

export interface EnableOptions {
  /** Enable only if its files have this hash, which the person has seen. Absent: enable the current files. */
  readonly sha256?: string;
  readonly trusted?: boolean;
}

const MAX_PLUGINS = 100;
const SHUTTING_DOWN = "Toolkeep is shutting down";
const ALL_PLUGINS = "every plugin";

/** Third-party packages that bring tools. None of their code runs in this process, or before a person enabled it. */
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

  /** Starts no plugin yet. The caller has to close it. */
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
      enforcement: detectEnforcement(process.allowedNodeEnvironmentFlags),
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

  /** Reads the files of every plugin. */
  async list(): Promise<readonly PluginView[]> {
    const views: PluginView[] = [];
    for (const plugin of [...this.#known.values()]) views.push(await plugin.view());
    return views;
  }

  /** Throws NOT_FOUND, with the nearest name. */
  async get(name: string): Promise<PluginView> {
    return this.#get(name).view();
  }

  /** Its output and the events of its processes, oldest first. */
  log(name: string): readonly PluginLogLine[] {
    return this.#get(name).log.read(this.#deps.redact);
  }

  /**
   * Fetches a plugin and reads its manifest. It stays disabled. Throws BAD_REQUEST if it cannot be used, NAME_INVALID or
   * NAME_TAKEN.
   */
  async add(
    given: PluginSource,
    options: { readonly name?: string; readonly signal?: AbortSignal } = {},
  ): Promise<PluginView> {
    const source = checkSource(given);
    if (options.name !== undefined) this.#checkNew(checkPluginName(options.name));
    const fetched = await this.#fetch(source, options.signal);
    const name = options.name ?? deriveName(fetched.found.manifest.packageName);
    return this.#serial(name, async () => {
      try {
        this.#checkNew(checkPluginName(name));
        const now = this.#deps.clock();
        const facts = pickFacts(fetched.found);
        const created = this.#deps.records.insert({
          ...{ name, source, ...facts, enabled: false, agreed: null, tools: [] },
          ...{ createdAt: now, updatedAt: now },
        });
        await unlessTaken(`A plugin named "${name}"`, created);
      } catch (error) {
        await this.#files.discard(fetched);
        throw error;
      }
      await this.#files.settle(name, fetched);
      return this.#changed(name, "added");
    });
  }

  /**
   * Enables exactly these files with the permissions they declare, and starts the plugin once to list its tools. Throws
   * CHANGED if the files are different, and BAD_REQUEST if it cannot be started or has no tools.
   */
  enable(name: string, { sha256, trusted = false }: EnableOptions = {}): Promise<PluginView> {
    return this.#serial(name, async () => {
      const plugin = this.#get(name);
      const found = await plugin.inspect();
      if (!found.ok) throw unusableError(name, found.error);
      if (sha256 !== undefined && sha256 !== found.value.sha256)
        throw new ToolkeepError(
          "CHANGED",
          `plugin ${name} changed since it was reviewed: expected content ${sha256.slice(0, 12)}, got ${found.value.sha256.slice(0, 12)}`,
          { remedy: `Review it again: toolkeep plugin show ${name}.` },
        );
      const described = await plugin.listTools(found.value);
      if (!described.ok) throw unusableError(name, this.#deps.redact(described.error));
      const { tools, warnings } = checkDefinitions(described.value, this.#deps.redact);
      if (tools.length === 0) throw unusableError(name, warnings[0] ?? "it has no tools");
      const names = await claimNames(
        this.#deps.toolNames,
        name,
        tools.map(({ ownName }) => ownName),
      );
      const now = this.#deps.clock();
      const facts = pickFacts(found.value);
      const { permissions } = facts;
      await this.#deps.records.mustUpdate(
        { name },
        {
          ...facts,
          enabled: true,
          agreed: { sha256: facts.sha256, permissions, trusted, at: now },
          tools: tools.flatMap((tool) => {
            const known = names.get(tool.ownName);
            return known === undefined ? [] : [{ ...tool, name: known }];
          }),
          updatedAt: now,
        },
      );
      return this.#changed(name, "changed", warnings);
    });
  }

  disable(name: string): Promise<PluginView> {
    return this.#serial(name, async () => {
      this.#get(name);
      await this.#deps.records.mustUpdate({ name }, { enabled: false, updatedAt: this.#deps.clock() });
      return this.#changed(name, "changed");
    });
  }

  /** Fetches the plugin again from its source. If the files changed, it is disabled. */
  update(name: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<PluginView> {
    return this.#serial(name, async () => {
      const plugin = this.#get(name);
      const here = await plugin.inspect();
      const { record } = plugin;
      const fetched = await this.#fetch(here.ok ? record.source : pinVersion(record), signal);
      const { sha256, manifest } = fetched.found;
      if (manifest.packageName !== record.packageName) {
        await this.#files.discard(fetched);
        throw unusableError(name, `expected the package ${record.packageName}, got ${manifest.packageName}`);
      }
      if (here.ok && here.value.sha256 === sha256) await this.#files.discard(fetched);
      else {
        await plugin.close(`plugin ${name} was updated`);
        await this.#files.settle(name, fetched);
      }
      // If the files were only missing on this machine, the record stays as other processes know it. If the fetched files differ from it, only the status on this machine says so.
      if (here.ok && sha256 !== record.sha256)
        await this.#deps.records.mustUpdate(
          { name },
          {
            ...pickFacts(fetched.found),
            enabled: record.enabled && record.agreed?.sha256 === sha256,
            updatedAt: this.#deps.clock(),
          },
        );
      return this.#changed(name, "changed");
    });
  }

  /** The names of its tools stay reserved. */
  remove(name: string): Promise<void> {
    return this.#serial(name, async () => {
      this.#get(name);
      await this.#deps.records.delete({ name });
      await this.reload();
      this.#deps.events.emit("plugin.changed", { plugin: name, change: "removed" });
    });
  }

  /** Applies what another process changed. */
  reload(): Promise<void> {
    return this.#serial(ALL_PLUGINS, async () => {
      const records = await this.#deps.records.list(["name"]);
      const removed = new Set(this.#known.keys());
      for (const record of records) {
        removed.delete(record.name);
        await this.#take(record);
      }
      for (const name of removed) await this.#forget(name);
      this.#publish();
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all([...this.#known.values()].map((plugin) => plugin.close(SHUTTING_DOWN)));
    await this.#serial(ALL_PLUGINS, async () => {});
  }

  /** Replaces a known plugin if its record changed. */
  async #take(record: PluginRecord, warnings?: readonly string[]): Promise<void> {
    const before = this.#known.get(record.name);
    if (before && warnings === undefined && stableJson(before.record) === stableJson(record)) return;
    await before?.close(`plugin ${record.name} was ${record.enabled ? "enabled again" : "disabled"}`);
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
    await this.#serial(ALL_PLUGINS, async () => {
      const records = await this.#deps.records.list(["name"]);
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

  #fetch(source: PluginSource, signal: AbortSignal | undefined): Promise<FetchedPlugin> {
    const { signal: stop } = this.#stop;
    return this.#files.fetch(source, signal ? AbortSignal.any([signal, stop]) : stop);
  }

  #get(name: string): KnownPlugin {
    const known = this.#known.get(name);
    if (known) return known;
    throw unknownPluginError(name, this.#known.keys());
  }

  #checkNew(name: string): void {
    if (this.#known.has(name))
      throw new ToolkeepError("NAME_TAKEN", `a plugin named ${name} already exists`, {
        remedy: `Update it with toolkeep plugin update ${name}, or choose another name with --name.`,
      });
    if (this.#known.size >= MAX_PLUGINS)
      throw new ToolkeepError("TOO_MANY", `there are already ${MAX_PLUGINS} plugins`, {
        remedy: "Remove one you no longer need: toolkeep plugin remove NAME.",
      });
  }
}

function pickFacts({ sha256, manifest }: PluginSnapshot) {
  const { packageName, version, description, permissions } = manifest;
  return { packageName, version, description, sha256, permissions: { ...permissions } };
}

/** If the files are missing here, fetches exactly the version that a person reviewed elsewhere. */
function pinVersion({ source, packageName, version }: PluginRecord): PluginSource {
  return source.kind === "npm" ? { kind: "npm", spec: `${packageName}@${version}` } : source;
}

function unusableError(name: string, problem: string): ToolkeepError {
  return new ToolkeepError("BAD_REQUEST", `plugin ${name} cannot be used: ${problem}`, {
    remedy: `See its log: toolkeep plugin show ${name}.`,
  });
}
