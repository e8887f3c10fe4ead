import type { Vault } from "../../call/vault/vault.ts";
import type { Caller } from "../../contract/caller.ts";
import { messageOf } from "../../contract/errors.ts";
import type { Tool, ToolContext, ToolResult, ToolStatus } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { Processes } from "../../machine/process/processes.ts";
import type { PluginPermissions, PluginRecord, PluginToolView, PluginView } from "./contract.ts";
import type { PluginToolDefinition } from "./definitions.ts";
import { buildNodeFlags, containsWildcard, type Enforcement, listUnenforced } from "./enforcement.ts";
import type { PluginFiles, PluginSnapshot } from "./package/plugin-files.ts";
import { completePermissions, describeAdded, describePermissions, getCapabilities } from "./permissions.ts";
import type { PluginLog } from "./plugin-log.ts";
import { pluginTool } from "./plugin-tool.ts";
import type { PluginLimits } from "./process/limits.ts";
import { PluginHost } from "./process/plugin-host.ts";
import { PluginProcess, type PluginStart } from "./process/plugin-process.ts";

/** A tool as stored with its plugin. */
export type StoredTool = PluginToolDefinition & { readonly name: string };

export interface KnownPluginDeps {
  readonly files: PluginFiles;
  readonly processes: Processes;
  readonly limits: PluginLimits;
  readonly enforcement: Enforcement;
  readonly baseEnv: NodeJS.ProcessEnv;
  readonly isSecret: (value: string) => boolean;
  readonly secrets: Pick<Vault, "has" | "read">;
  /** The workspace of a caller; created if it does not exist. */
  readonly workspaceOf: (caller: Caller) => Promise<string>;
  readonly clock: Clock;
  /** Called when its tools become available or unavailable. */
  readonly onStatus: () => void;
}

/** Why an enabled plugin cannot be used. */
type Obstacle = Exclude<ToolStatus, { kind: "active" }>;

/** One plugin as stored. When its record changes, a new instance replaces it. */
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
      prepareStart: (workspace) => this.#starting(workspace),
      secrets: () => this.#secrets(),
    });
    const host = {
      plugin: record.name,
      trusted: record.agreed?.trusted === true,
      capabilities: getCapabilities(completePermissions(record.permissions)),
      status: () => this.status(),
      run: (tool: string, args: Readonly<Record<string, unknown>>, context: ToolContext) =>
        this.#run(tool, args, context),
    };
    this.tools = getStoredTools(record).map((tool) => pluginTool(tool, tool.name, host));
  }

  status(): ToolStatus {
    const { name, enabled, agreed } = this.record;
    if (!enabled || agreed === null)
      return {
        kind: "disabled",
        reason: `plugin ${name} is not enabled. A person has to review its permissions and enable it: toolkeep plugin enable ${name}`,
      };
    if (this.#obstacle) return this.#obstacle;
    const { pause } = this.#host;
    return pause === undefined ? { kind: "active" } : { kind: "unavailable", reason: pause };
  }

  /** Reads its current files and updates its status. */
  async inspect(): Promise<Result<PluginSnapshot, string>> {
    const found = await this.#deps.files.find(this.record);
    const obstacle = this.#obstacleIn(found);
    const hasChanged = obstacle?.reason !== this.#obstacle?.reason;
    this.#obstacle = obstacle;
    if (hasChanged && this.record.enabled) this.#deps.onStatus();
    return found;
  }

  /** Starts it only to list its tools. Never rejects. */
  async listTools(found: PluginSnapshot): Promise<Result<readonly unknown[], string>> {
    const start = this.#startOf(found, found.manifest.permissions, null);
    if (!start.ok) return start;
    try {
      this.#learning = new PluginProcess({ ...this.#deps, log: this.log }, start.value);
    } catch (error) {
      return err(messageOf(error));
    }
    const ready = await this.#learning.ready;
    await this.#learning.end("its tools are listed");
    if (!ready.ok) this.log.add(`could not be started: ${ready.error}`);
    return ready;
  }

  async view(): Promise<PluginView> {
    const { record } = this;
    const found = await this.inspect();
    const now = found.ok ? found.value : undefined;
    const permissions = now?.manifest.permissions ?? completePermissions(record.permissions);
    return {
      name: record.name,
      packageName: record.packageName,
      version: now?.manifest.version ?? record.version,
      description: now?.manifest.description ?? record.description,
      source: record.source,
      folder: this.#deps.files.getRoot(record),
      sha256: now?.sha256 ?? null,
      status: found.ok || record.enabled ? this.status() : { kind: "unavailable", reason: found.error },
      enabled: record.enabled,
      trusted: record.agreed?.trusted === true,
      permissions,
      may: describePermissions(permissions),
      mayAlso: record.agreed
        ? describeAdded(completePermissions(record.agreed.permissions), permissions)
        : [],
      notEnforced: listUnenforced(permissions, this.#deps.enforcement),
      missingSecrets: permissions.secrets.filter((name) => !this.#deps.secrets.has(name)),
      announced: now?.manifest.announced ?? [],
      tools: getStoredTools(record).map(toToolView),
      warnings: this.#warnings,
      processes: this.#host.processes,
      enabledAt: record.enabled ? (record.agreed?.at ?? null) : null,
      createdAt: record.createdAt,
      updatedAt: record.updatedAt,
    };
  }

  /** Ends its processes. Running calls end with the reason. */
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

  /** Every start reads all files, so that files changed since a person agreed never run. */
  async #starting(workspace: string | null): Promise<Result<PluginStart, string>> {
    const found = await this.inspect();
    if (this.#obstacle) return err(this.#obstacle.reason);
    return found.ok ? this.#startOf(found.value, this.#agreed(), workspace) : found;
  }

  #startOf(
    { root, manifest }: PluginSnapshot,
    permissions: PluginPermissions,
    workspace: string | null,
  ): Result<PluginStart, string> {
    const { baseEnv, isSecret, enforcement } = this.#deps;
    const wildcardPath = [root, workspace ?? ""].find(containsWildcard);
    if (wildcardPath !== undefined)
      return err(`a plugin cannot be confined to ${wildcardPath}: Node treats the * in it as a wildcard`);
    return ok({
      plugin: this.record.name,
      folder: root,
      entry: manifest.entry,
      cwd: workspace ?? root,
      env: buildEnvironment(permissions, baseEnv, isSecret),
      nodeArgs: buildNodeFlags({ permissions, folder: root, workspace }, enforcement),
    });
  }

  #obstacleIn(found: Result<PluginSnapshot, string>): Obstacle | undefined {
    const { name, agreed } = this.record;
    if (!found.ok)
      return {
        kind: "unavailable",
        reason: `plugin ${name} cannot be used on this machine: ${found.error}. A person has to fetch it again: toolkeep plugin update ${name}`,
      };
    if (agreed === null || found.value.sha256 === agreed.sha256) return undefined;
    return {
      kind: "disabled",
      reason: `plugin ${name} has changed since it was enabled. A person has to review its permissions and enable it again: toolkeep plugin enable ${name}`,
    };
  }

  #agreed(): PluginPermissions {
    return completePermissions(this.record.agreed?.permissions ?? {});
  }

  /** Leaves out secrets that cannot be read now, like those that are not set. */
  async #secrets(): Promise<Readonly<Record<string, string>>> {
    const values: Record<string, string> = {};
    for (const name of this.#agreed().secrets) {
      const value = await this.#deps.secrets.read(name);
      if (value.ok) values[name] = value.value;
    }
    return values;
  }
}

function getStoredTools({ tools }: PluginRecord): readonly StoredTool[] {
  return tools as unknown as readonly StoredTool[];
}

function toToolView({ name, ownName, description }: StoredTool): PluginToolView {
  return { name, ownName, description };
}

/** Harmless variables that a program needs to use the user's language. */
const BASE_VARIABLES = ["LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ"] as const;
/** Variables that child programs need. */
const PROGRAM_VARIABLES = ["PATH", "HOME", "USER", "LOGNAME", "TMPDIR"] as const;

/** The variables of a plugin's process: a few common ones and those it declared. Secrets come with each call. */
function buildEnvironment(
  { env, childProcesses }: PluginPermissions,
  base: NodeJS.ProcessEnv,
  isSecret: (value: string) => boolean,
): Record<string, string> {
  const inherited = [...BASE_VARIABLES, ...(childProcesses ? PROGRAM_VARIABLES : [])].filter(
    (name) => !isSecret(base[name] ?? ""),
  );
  const variables = [...inherited, ...env].map((name) => [name, base[name]] as const);
  return Object.fromEntries(variables.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
