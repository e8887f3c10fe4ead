import type { Vault } from "../../call/vault/vault.ts";
import type { Caller } from "../../contract/caller.ts";
import { messageOf } from "../../contract/errors.ts";
import type { Tool, ToolContext, ToolResult, ToolStatus } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { PluginRecord, PluginSource } from "../../machine/db/tables/sources/plugin-record.ts";
import type { Processes } from "../../machine/process/processes.ts";
import type { PluginToolDefinition } from "./definitions.ts";
import { cannotBeNamed, type Enforcement, heldTo, notHeld } from "./enforcement.ts";
import type { AnnouncedTool } from "./package/manifest.ts";
import type { Found, PluginFiles } from "./package/plugin-files.ts";
import {
  addedWords,
  capabilitiesOf,
  type PluginPermissions,
  permissionsOf,
  permissionWords,
} from "./permissions.ts";
import type { PluginLog } from "./plugin-log.ts";
import { pluginTool } from "./plugin-tool.ts";
import type { PluginLimits } from "./process/limits.ts";
import { PluginHost } from "./process/plugin-host.ts";
import { PluginProcess, type PluginStart } from "./process/plugin-process.ts";

/** A plugin as people see it, with its files as they are now. */
export interface PluginView {
  readonly name: string;
  readonly packageName: string;
  readonly version: string;
  readonly description: string;
  readonly source: PluginSource;
  /** Where its files are on this machine. */
  readonly folder: string;
  /** Of every file, as they are now; null where they cannot be used here. */
  readonly sha256: string | null;
  readonly status: ToolStatus;
  /** What a person said last; `status` says whether it counts. */
  readonly enabled: boolean;
  /** Whether flags of its tools that loosen are believed. */
  readonly trusted: boolean;
  readonly permissions: PluginPermissions;
  /** The permissions in words, one right each. */
  readonly may: readonly string[];
  /** What of it nobody agreed to yet, though somebody agreed to something. */
  readonly mayAlso: readonly string[];
  /** What was declared but is not seen to on this machine, and why. */
  readonly notEnforced: readonly string[];
  /** Declared secrets that nobody has set. */
  readonly missingSecrets: readonly string[];
  /** What its package.json says about its tools, before anything of it has run. */
  readonly announced: readonly AnnouncedTool[];
  /** As of when it was enabled last. */
  readonly tools: readonly PluginToolView[];
  /** What was left out of its tools when it was enabled last, as far as this process saw it. */
  readonly warnings: readonly string[];
  readonly processes: number;
  readonly enabledAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface PluginToolView {
  /** As agents call it. */
  readonly name: string;
  readonly ownName: string;
  readonly description: string;
}

/** A tool as it is kept with its plugin. */
export type KeptTool = PluginToolDefinition & { readonly name: string };

export interface KnownPluginDeps {
  readonly files: PluginFiles;
  readonly processes: Processes;
  readonly limits: PluginLimits;
  readonly enforcement: Enforcement;
  readonly baseEnv: NodeJS.ProcessEnv;
  readonly isSecret: (value: string) => boolean;
  readonly secrets: Pick<Vault, "has" | "read">;
  /** The folder of a caller; made where it is not there yet. */
  readonly workspaceOf: (caller: Caller) => Promise<string>;
  readonly clock: Clock;
  /** Its tools can be called, or no longer. */
  readonly onStatus: () => void;
}

/** What stands in the way of a plugin that is enabled. */
type Obstacle = Exclude<ToolStatus, { kind: "active" }>;

/** One plugin as the store has it. When its record changes, another takes its place. */
export class KnownPlugin {
  readonly record: PluginRecord;
  readonly log: PluginLog;
  readonly tools: readonly Tool[];
  readonly #deps: KnownPluginDeps;
  readonly #host: PluginHost;
  readonly #warnings: readonly string[];
  #obstacle: Obstacle | undefined;
  #learning: PluginProcess | undefined;

  constructor(record: PluginRecord, log: PluginLog, warnings: readonly string[], deps: KnownPluginDeps) {
    this.record = record;
    this.log = log;
    this.#warnings = warnings;
    this.#deps = deps;
    this.#host = new PluginHost({
      ...deps,
      plugin: record.name,
      log,
      starting: (workspace) => this.#starting(workspace),
      secrets: () => this.#secrets(),
    });
    const host = {
      plugin: record.name,
      trusted: record.agreed?.trusted === true,
      capabilities: capabilitiesOf(permissionsOf(record.permissions)),
      status: () => this.status(),
      run: (tool: string, args: Readonly<Record<string, unknown>>, context: ToolContext) =>
        this.#run(tool, args, context),
    };
    this.tools = keptTools(record).map((tool) => pluginTool(tool, tool.name, host));
  }

  status(): ToolStatus {
    const { name, enabled, agreed } = this.record;
    if (!enabled || agreed === null)
      return {
        kind: "disabled",
        reason: `plugin ${name} is not enabled. A person who has read what it may do enables it: toolkeep plugin enable ${name}`,
      };
    if (this.#obstacle) return this.#obstacle;
    const { pause } = this.#host;
    return pause === undefined ? { kind: "active" } : { kind: "unavailable", reason: pause };
  }

  /** Its files as they are now; its status follows from them. */
  async look(): Promise<Result<Found, string>> {
    const found = await this.#deps.files.find(this.record);
    const obstacle = this.#obstacleIn(found);
    const isNews = obstacle?.reason !== this.#obstacle?.reason;
    this.#obstacle = obstacle;
    if (isNews && this.record.enabled) this.#deps.onStatus();
    return found;
  }

  /** Starts it, only to hear what its tools are. Rejects never. */
  async learn(found: Found): Promise<Result<readonly unknown[], string>> {
    const start = this.#startOf(found, found.manifest.permissions, null);
    if (!start.ok) return start;
    try {
      this.#learning = new PluginProcess({ ...this.#deps, log: this.log }, start.value);
    } catch (error) {
      return err(messageOf(error));
    }
    const ready = await this.#learning.ready;
    await this.#learning.end("its tools are known");
    if (!ready.ok) this.log.add(`it could not be started: ${ready.error}`);
    return ready;
  }

  /** As people see it. */
  async view(): Promise<PluginView> {
    const { record } = this;
    const found = await this.look();
    const now = found.ok ? found.value : undefined;
    const permissions = now?.manifest.permissions ?? permissionsOf(record.permissions);
    return {
      name: record.name,
      packageName: record.packageName,
      version: now?.manifest.version ?? record.version,
      description: now?.manifest.description ?? record.description,
      source: record.source,
      folder: this.#deps.files.rootOf(record),
      sha256: now?.sha256 ?? null,
      status: found.ok || record.enabled ? this.status() : { kind: "unavailable", reason: found.error },
      enabled: record.enabled,
      trusted: record.agreed?.trusted === true,
      permissions,
      may: permissionWords(permissions),
      mayAlso: record.agreed ? addedWords(permissionsOf(record.agreed.permissions), permissions) : [],
      notEnforced: notHeld(permissions, this.#deps.enforcement),
      missingSecrets: permissions.secrets.filter((name) => !this.#deps.secrets.has(name)),
      announced: now?.manifest.announced ?? [],
      tools: keptTools(record).map(shownTool),
      warnings: this.#warnings,
      processes: this.#host.processes,
      enabledAt: record.enabled ? (record.agreed?.at ?? null) : null,
      createdAt: record.createdAt,
      updatedAt: record.updatedAt,
    };
  }

  /** Ends its processes; calls under way end with the reason. */
  async close(reason: string): Promise<void> {
    await Promise.all([this.#host.close(reason), this.#learning?.end(reason)]);
  }

  async #run(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    context: ToolContext,
  ): Promise<ToolResult> {
    const { files } = this.#agreed();
    const workspace = files === "none" ? null : await this.#deps.workspaceOf(context.caller);
    return this.#host.run(tool, args, workspace, context);
  }

  /** Every start reads all files: what was changed since a person agreed to it does not run. */
  async #starting(workspace: string | null): Promise<Result<PluginStart, string>> {
    const found = await this.look();
    if (this.#obstacle) return err(this.#obstacle.reason);
    return found.ok ? this.#startOf(found.value, this.#agreed(), workspace) : found;
  }

  #startOf(
    { root, manifest }: Found,
    permissions: PluginPermissions,
    workspace: string | null,
  ): Result<PluginStart, string> {
    const { baseEnv, isSecret, enforcement } = this.#deps;
    const unnameable = [root, workspace ?? ""].find(cannotBeNamed);
    if (unnameable !== undefined)
      return err(`a plugin cannot be held to ${unnameable}: Node takes the * in it for a wildcard`);
    return ok({
      plugin: this.record.name,
      folder: root,
      entry: manifest.entry,
      cwd: workspace ?? root,
      env: pluginEnvironment(permissions, baseEnv, isSecret),
      nodeArgs: heldTo({ permissions, folder: root, workspace }, enforcement),
    });
  }

  #obstacleIn(found: Result<Found, string>): Obstacle | undefined {
    const { name, agreed } = this.record;
    if (!found.ok)
      return {
        kind: "unavailable",
        reason: `plugin ${name} cannot be used on this machine: ${found.error}. A person fetches it again: toolkeep plugin update ${name}`,
      };
    if (agreed === null || found.value.sha256 === agreed.sha256) return undefined;
    return {
      kind: "disabled",
      reason: `plugin ${name} has changed since it was enabled. A person who has read what it may do enables it again: toolkeep plugin enable ${name}`,
    };
  }

  #agreed(): PluginPermissions {
    return permissionsOf(this.record.agreed?.permissions ?? {});
  }

  /** Without those that cannot be read now: a plugin has to do without what is not set, too. */
  async #secrets(): Promise<Readonly<Record<string, string>>> {
    const values: Record<string, string> = {};
    for (const name of this.#agreed().secrets) {
      const value = await this.#deps.secrets.read(name);
      if (value.ok) values[name] = value.value;
    }
    return values;
  }
}

function keptTools({ tools }: PluginRecord): readonly KeptTool[] {
  return tools as unknown as readonly KeptTool[];
}

function shownTool({ name, ownName, description }: KeptTool): PluginToolView {
  return { name, ownName, description };
}

/** Harmless, and what a program needs to speak the language of its user. */
const ALWAYS = ["LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ"] as const;
/** What other programs need to be found and to work. */
const FOR_PROGRAMS = ["PATH", "HOME", "USER", "LOGNAME", "TMPDIR"] as const;

/** What the process of a plugin sees: a few variables, and those that it declared. Secrets come with each call. */
function pluginEnvironment(
  { env, childProcesses }: PluginPermissions,
  base: NodeJS.ProcessEnv,
  isSecret: (value: string) => boolean,
): Record<string, string> {
  const inherited = [...ALWAYS, ...(childProcesses ? FOR_PROGRAMS : [])].filter(
    (name) => !isSecret(base[name] ?? ""),
  );
  const given = [...inherited, ...env].map((name) => [name, base[name]] as const);
  return Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
