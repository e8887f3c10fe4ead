import { messageOf } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { err, ok, type Result } from "../lib/result.ts";
import type { Processes } from "../process/processes.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import { resultOf } from "./answer.ts";
import type { PluginLimits } from "./limits.ts";
import type { PluginLog } from "./plugin-log.ts";
import { PluginProcess, type PluginStart } from "./plugin-process.ts";

export interface PluginHostDeps {
  readonly plugin: string;
  readonly processes: Processes;
  readonly limits: PluginLimits;
  readonly log: PluginLog;
  readonly clock: Clock;
  /** How a process of it is started now, for this workspace; an error says why it is not. */
  readonly starting: (workspace: string | null) => Promise<Result<PluginStart, string>>;
  /** The secrets that it declared and that are set. */
  readonly secrets: () => Readonly<Record<string, string>>;
}

interface Running {
  readonly process: PluginProcess;
  idle: NodeJS.Timeout | undefined;
}

/**
 * The processes of one enabled plugin: started at the first call, ended after a while without one. What a process may
 * read and write is fixed when it starts, so a plugin that uses files has one for each workspace.
 */
export class PluginHost {
  readonly #deps: PluginHostDeps;
  readonly #running = new Map<string, Promise<Result<Running, string>>>();
  #closed: string | undefined;
  #failures = 0;
  #pausedUntil = 0;
  #lastReason = "";

  constructor(deps: PluginHostDeps) {
    this.#deps = deps;
  }

  /** Why it is not started for now, after it ended by itself; undefined where nothing stands in the way. */
  get pause(): string | undefined {
    const left = this.#pausedUntil - this.#deps.clock();
    return left > 0
      ? `plugin ${this.#deps.plugin} failed (${this.#lastReason}) and is started again in ${Math.ceil(left / 1000)} s`
      : undefined;
  }

  /** `workspace` is null for a plugin that may not use files. */
  async run(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    workspace: string | null,
    context: ToolContext,
  ): Promise<ToolResult> {
    const running = await this.#processFor(workspace);
    if (!running.ok) return { kind: "unavailable", message: running.error };
    const { process } = running.value;
    clearTimeout(running.value.idle);
    const { signal, progress, caller } = context;
    const secrets = this.#deps.secrets();
    const end = await process.call(
      { tool, args, workspace, secrets, agent: caller.agentName },
      progress,
      signal,
    );
    if (end.kind !== "gone") this.#failures = 0;
    this.#rest(running.value);
    return resultOf(end, this.#deps.plugin);
  }

  /** Ends every process; calls under way end with the reason. */
  async close(reason: string): Promise<void> {
    this.#closed = reason;
    const all = await Promise.all(this.#running.values());
    await Promise.all(all.map((running) => running.ok && this.#end(running.value, reason)));
  }

  async #processFor(workspace: string | null): Promise<Result<Running, string>> {
    const { limits, plugin } = this.#deps;
    if (this.#closed !== undefined) return err(this.#closed);
    const key = workspace ?? "";
    const known = await this.#running.get(key);
    if (known?.ok && !known.value.process.isEnding) return known;
    const pause = this.pause;
    if (pause !== undefined) return err(pause);
    // Another call may have begun to start it while this one waited.
    const starting = this.#running.get(key);
    if (starting && (await starting) !== known) return this.#processFor(workspace);
    if (!starting && this.#running.size >= limits.maxProcesses && !(await this.#makeRoom()))
      return err(
        `plugin ${plugin} works for ${limits.maxProcesses} workspaces already; try again in a moment`,
      );
    const started = this.#start(workspace);
    this.#running.set(key, started);
    const result = await started;
    if (!result.ok && this.#running.get(key) === started) this.#running.delete(key);
    return result;
  }

  async #start(workspace: string | null): Promise<Result<Running, string>> {
    const { plugin, log, starting } = this.#deps;
    const start = await starting(workspace);
    if (!start.ok) return start;
    if (this.#closed !== undefined) return err(this.#closed);
    let process: PluginProcess;
    try {
      process = new PluginProcess(this.#deps, start.value);
    } catch (error) {
      return err(`plugin ${plugin} could not be started: ${messageOf(error)}`);
    }
    log.add("its process was started");
    const running: Running = { process, idle: undefined };
    void process.gone.then((reason) => this.#ended(workspace, running, reason));
    const ready = await process.ready;
    if (!ready.ok) return err(`plugin ${plugin} could not be started: ${ready.error}`);
    return ok(running);
  }

  #ended(workspace: string | null, running: Running, reason: string): void {
    clearTimeout(running.idle);
    const key = workspace ?? "";
    void this.#running.get(key)?.then((now) => {
      if (now.ok && now.value === running) this.#running.delete(key);
    });
    if (reason === IDLE || reason === this.#closed) return;
    const { pausesMs } = this.#deps.limits;
    const pauseMs = pausesMs[Math.min(this.#failures, pausesMs.length - 1)] ?? 0;
    this.#failures += 1;
    this.#lastReason = reason;
    this.#pausedUntil = this.#deps.clock() + pauseMs;
  }

  /** Ends the process after a while, unless a call comes. */
  #rest(running: Running): void {
    clearTimeout(running.idle);
    if (running.process.busy > 0 || running.process.isEnding) return;
    running.idle = setTimeout(() => void this.#end(running, IDLE), this.#deps.limits.idleMs);
    running.idle.unref();
  }

  /** Ends one process that has nothing to do; false where all have. */
  async #makeRoom(): Promise<boolean> {
    for (const [key, starting] of this.#running) {
      const running = await starting;
      if (!running.ok || running.value.process.busy > 0) continue;
      this.#running.delete(key);
      await this.#end(running.value, IDLE);
      return true;
    }
    return false;
  }

  async #end(running: Running, reason: string): Promise<void> {
    clearTimeout(running.idle);
    this.#deps.log.add(`its process was ended: ${reason}`);
    await running.process.end(reason);
  }
}

const IDLE = "it had nothing to do";
