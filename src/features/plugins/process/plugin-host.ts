import { messageOf } from "../../../contract/errors.ts";
import type { ToolContext, ToolResult } from "../../../contract/tool.ts";
import type { Clock } from "../../../lib/clock.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { toResult } from "./answer.ts";
import { PluginProcess, type PluginProcessDeps, type PluginStart } from "./plugin-process.ts";

export interface PluginHostDeps extends PluginProcessDeps {
  readonly plugin: string;
  readonly clock: Clock;
  /** How to start a process for this workspace; the error says why it cannot start. */
  readonly prepareStart: (workspace: string | null) => Promise<Result<PluginStart, string>>;
  /** The declared secrets that are set. */
  readonly secrets: () => Promise<Readonly<Record<string, string>>>;
}

/** A process for one workspace; the key is `""` without one. */
interface RunningProcess {
  readonly key: string;
  readonly process: PluginProcess;
  idle: NodeJS.Timeout | undefined;
}

/**
 * The processes of one enabled plugin: started on the first call, ended when idle. What a process may read and write is
 * fixed at start, so a plugin that uses files has one process per workspace.
 */
export class PluginHost {
  readonly #deps: PluginHostDeps;
  readonly #running = new Map<string, Promise<Result<RunningProcess, string>>>();
  readonly #alive = new Set<PluginProcess>();
  /** Processes without a call, longest idle first. */
  readonly #resting = new Set<RunningProcess>();
  #closed: string | undefined;
  #failures = 0;
  #pausedUntil = 0;
  #lastReason = "";

  constructor(deps: PluginHostDeps) {
    this.#deps = deps;
  }

  get processes(): number {
    return this.#alive.size;
  }

  /** Why it is not restarted yet after a failure; undefined if it can be started. */
  get pause(): string | undefined {
    const left = this.#pausedUntil - this.#deps.clock();
    return left > 0
      ? `plugin ${this.#deps.plugin} failed (${this.#lastReason}) and restarts in ${Math.ceil(left / 1000)} s`
      : undefined;
  }

  /** `workspace` is null for a plugin without file access. */
  async run(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    workspace: string | null,
    context: ToolContext,
  ): Promise<ToolResult> {
    const secrets = await this.#deps.secrets();
    const found = await this.#processFor(workspace);
    if (!found.ok) return { kind: "unavailable", message: found.error, isUnsent: true };
    const { signal, progress, caller } = context;
    if (signal.aborted) {
      this.#rest(found.value);
      return toResult({ kind: "cancelled" }, this.#deps.plugin);
    }
    this.#wake(found.value);
    const call = { tool, args, workspace, secrets, agent: caller.agentName };
    const end = await found.value.process.call(call, progress, signal);
    if (end.kind === "value" || end.kind === "threw") this.#failures = 0;
    this.#rest(found.value);
    return toResult(end, this.#deps.plugin);
  }

  /** Ends every process, including those still starting. Running calls end with the reason. */
  async close(reason: string): Promise<void> {
    this.#closed = reason;
    for (const running of this.#resting) clearTimeout(running.idle);
    await Promise.all([...this.#alive].map((process) => process.end(reason)));
    await Promise.all(this.#running.values());
  }

  async #processFor(workspace: string | null): Promise<Result<RunningProcess, string>> {
    const { limits, plugin } = this.#deps;
    const key = workspace ?? "";
    for (;;) {
      if (this.#closed !== undefined) return err(this.#closed);
      const current = this.#running.get(key);
      if (current) {
        const found = await current;
        if (!found.ok || !found.value.process.isEnding) return found;
        if (this.#running.get(key) === current) this.#running.delete(key);
        continue;
      }
      const { pause } = this;
      if (pause !== undefined) return err(pause);
      if (this.#running.size < limits.maxProcesses) break;
      if (!(await this.#makeRoom()))
        return err(
          `plugin ${plugin} is already busy in ${limits.maxProcesses} workspaces; try again in a moment`,
        );
    }
    const started = this.#start(key, workspace);
    this.#running.set(key, started);
    const result = await started;
    if (!result.ok && this.#running.get(key) === started) this.#running.delete(key);
    return result;
  }

  async #start(key: string, workspace: string | null): Promise<Result<RunningProcess, string>> {
    const { plugin, log, prepareStart } = this.#deps;
    const start = await prepareStart(workspace);
    if (!start.ok) return start;
    if (this.#closed !== undefined) return err(this.#closed);
    let process: PluginProcess;
    try {
      process = new PluginProcess(this.#deps, start.value);
    } catch (error) {
      return err(`plugin ${plugin} could not be started: ${messageOf(error)}`);
    }
    log.add("process started");
    this.#alive.add(process);
    const running: RunningProcess = { key, process, idle: undefined };
    void process.gone.then((reason) => this.#ended(running, reason));
    const ready = await process.ready;
    return ready.ok ? ok(running) : err(`plugin ${plugin} could not be started: ${ready.error}`);
  }

  #ended(running: RunningProcess, reason: string): void {
    this.#wake(running);
    this.#alive.delete(running.process);
    const current = this.#running.get(running.key);
    void current?.then((now) => {
      const isThis = now.ok && now.value === running;
      if (isThis && this.#running.get(running.key) === current) this.#running.delete(running.key);
    });
    this.#deps.log.add(`process ended: ${reason}`);
    if (reason === IDLE_REASON || reason === this.#closed) return;
    const { pausesMs } = this.#deps.limits;
    const pauseMs = pausesMs[Math.min(this.#failures, pausesMs.length - 1)] ?? 0;
    this.#failures += 1;
    this.#lastReason = reason;
    this.#pausedUntil = this.#deps.clock() + pauseMs;
  }

  /** Ends the process after a while without calls. */
  #rest(running: RunningProcess): void {
    this.#wake(running);
    if (running.process.busy > 0 || running.process.isEnding || this.#closed !== undefined) return;
    running.idle = setTimeout(() => void running.process.end(IDLE_REASON), this.#deps.limits.idleMs);
    running.idle.unref();
    this.#resting.add(running);
  }

  #wake(running: RunningProcess): void {
    clearTimeout(running.idle);
    this.#resting.delete(running);
  }

  /** Ends one idle process; false if all are busy. */
  async #makeRoom(): Promise<boolean> {
    const [longest] = this.#resting;
    if (!longest) return false;
    this.#wake(longest);
    this.#running.delete(longest.key);
    await longest.process.end(IDLE_REASON);
    return true;
  }
}

const IDLE_REASON = "idle";
