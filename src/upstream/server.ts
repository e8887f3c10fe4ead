import { setTimeout as delay } from "node:timers/promises";
import type { ServerConfig } from "../config/settings.ts";
import { messageOf } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { err, ok, type Result } from "../lib/result.ts";
import type { ServerRecord } from "../store/store.ts";
import type { Tool, ToolContext, ToolResult, ToolStatus } from "../tool.ts";
import type { Connection, Era } from "./connection.ts";
import type { Definition } from "./definition.ts";
import type { ToolList } from "./tool-list.ts";
import type { ServerState } from "./upstream.ts";

export interface ServerDeps {
  /** Opens a connection and lists the tools; never rejects, and leaves nothing behind when it fails. */
  readonly connect: (
    config: ServerConfig,
    options: { timeoutMs: number; signal: AbortSignal; prior: Era | null },
  ) => Promise<Result<Connection, string>>;
  /** Stores what a connection taught about the server; resolves with what that changed in its record. */
  readonly learn: (server: Server, list: ToolList, connection: Connection) => Promise<Partial<ServerRecord>>;
  /** The tools of the last list, made for this server as it is defined now. */
  readonly toolsOf: (server: Server) => readonly Tool[];
  /** After every transition; `detail` says why, where something went wrong. */
  readonly onState: (server: Server, detail?: string) => void;
  /** After its tools, or whether they can be called, changed. */
  readonly onTools: (server: Server) => void;
  readonly onProblem: (server: Server, message: string) => void;
  /** Hides what may not be shown in a message that a server had a hand in. */
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly idleMs: number;
  readonly backoffMs: readonly number[];
}

/** A legacy verdict is never refuted by connecting, so it is only believed for a while. */
const ERA_TRUSTED_MS = 7 * 24 * 3600 * 1000;
const MIN_CONNECT_MS = 1000;
const LIST_PAUSE_MS = 1000;
const MAX_LIST_PAUSE_MS = 60_000;

/**
 * One server and its connection: idle → connecting → ready ⇄ unavailable, beside them disabled and
 * pending_approval. At most one connection lives; calls that come while it is made share it.
 */
export class Server {
  readonly #deps: ServerDeps;
  #definition: Definition;
  #state: ServerState;
  #tools: readonly Tool[];
  #usable: boolean;
  #connection: Connection | undefined;
  #connecting: Promise<Result<Connection, string>> | undefined;
  #attempt = new AbortController();
  #listing = false;
  #listIsStale = false;
  #calls = 0;
  #usedAt = 0;
  #failures = 0;
  #lastError: string | null;
  /** Runs while calls are refused after a failure. */
  #retryTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(definition: Definition, deps: ServerDeps) {
    this.#deps = deps;
    this.#definition = definition;
    this.#lastError = definition.record.lastError;
    this.#tools = deps.toolsOf(this);
    this.#state = this.#restingState();
    this.#usable = this.status().kind === "active";
  }

  get definition(): Definition {
    return this.#definition;
  }

  get state(): ServerState {
    return this.#state;
  }

  get lastError(): string | null {
    return this.#definition.gate.kind === "broken" ? this.#definition.gate.reason : this.#lastError;
  }

  get tools(): readonly Tool[] {
    return this.#tools;
  }

  /** Whether the tools can be called; an idle server counts, because a call starts it. */
  status(): ToolStatus {
    const { gate, record } = this.#definition;
    if (gate.kind === "disabled" || gate.kind === "pending_approval") {
      return { kind: gate.kind, reason: gate.reason };
    }
    const reason = `mcp server ${record.name} is unavailable`;
    if (gate.kind === "broken") return { kind: "unavailable", reason: `${reason}: ${gate.reason}` };
    if (this.#retryTimer === undefined) return { kind: "active" };
    return {
      kind: "unavailable",
      reason: this.#lastError === null ? reason : `${reason}: ${this.#lastError}`,
    };
  }

  /** Starts the server where it is idle. Never rejects, never waits for a backoff. */
  async call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    context: ToolContext,
  ): Promise<ToolResult> {
    const status = this.status();
    if (status.kind !== "active") return { kind: "unavailable", message: status.reason };
    this.#beginUse();
    try {
      const connection = await untilAborted(this.connected(), context.signal);
      if (!connection.ok) return this.#unavailable(connection.error);
      const { signal, progress } = context;
      const result = await connection.value.callTool({ tool, arguments: args, signal, onProgress: progress });
      return result.kind === "unavailable" ? this.#unavailable(result.message) : result;
    } finally {
      this.#endUse();
    }
  }

  /** The live connection, or the one being made, or a new one. Not for a server whose gate is closed. */
  connected(): Promise<Result<Connection, string>> {
    if (this.#connection) return Promise.resolve(ok(this.#connection));
    return this.#connectOnce({ background: false });
  }

  /** Takes over what counts from now on; the connection survives unless how the server is reached changed. */
  async redefine(definition: Definition, reachChanged: boolean): Promise<void> {
    this.#definition = definition;
    this.#tools = this.#deps.toolsOf(this);
    if (reachChanged || definition.gate.kind !== "open") {
      this.#lastError = definition.record.lastError;
      await this.disconnect();
    }
    this.#become(this.#state);
  }

  /** Ends the connection, and an attempt under way; the next call starts anew. */
  async disconnect(): Promise<void> {
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#idleTimer);
    this.#retryTimer = undefined;
    this.#failures = 0;
    this.#attempt.abort();
    const connection = this.#connection;
    this.#connection = undefined;
    await Promise.all([connection?.close(), this.#connecting]);
    if (!this.#connecting && !this.#connection) this.#become(this.#restingState());
  }

  #restingState(): ServerState {
    const { kind } = this.#definition.gate;
    return kind === "open" ? "idle" : kind === "broken" ? "unavailable" : kind;
  }

  #connectOnce(how: { background: boolean }): Promise<Result<Connection, string>> {
    this.#connecting ??= this.#connect(how).finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(how: { background: boolean }): Promise<Result<Connection, string>> {
    const attempt = new AbortController();
    this.#attempt = attempt;
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
    this.#become("connecting");

    const opened = await this.#open(attempt.signal);
    if (opened.ok && !attempt.signal.aborted) this.#adopt(opened.value);
    else if (opened.ok) await opened.value.close();
    else if (!attempt.signal.aborted) this.#fail(opened.error, how);
    return attempt.signal.aborted ? err("it was disconnected while it was connecting") : opened;
  }

  async #open(signal: AbortSignal): Promise<Result<Connection, string>> {
    const { config } = this.#definition;
    const timeoutMs = Math.max(MIN_CONNECT_MS, config.connectTimeoutMs);
    const opened = await this.#deps.connect(config, { timeoutMs, signal, prior: this.#knownEra() });
    if (!opened.ok) return err(this.#deps.redact(opened.error));
    if (signal.aborted) return opened;
    try {
      await this.#learn(opened.value.initialTools, opened.value);
      return opened;
    } catch (error) {
      await opened.value.close();
      return err(messageOf(error));
    }
  }

  async #learn(list: ToolList, connection: Connection): Promise<void> {
    const news = await this.#deps.learn(this, list, connection);
    this.#definition = { ...this.#definition, record: { ...this.#definition.record, ...news } };
    this.#tools = this.#deps.toolsOf(this);
    this.#deps.onTools(this);
  }

  #adopt(connection: Connection): void {
    this.#connection = connection;
    this.#failures = 0;
    this.#lastError = null;
    void connection.closed.then((reason) => this.#lost(connection, this.#deps.redact(reason)));
    const listen = connection.onToolsChanged(() => void this.#listAgain());
    listen.catch((error) =>
      this.#deps.onProblem(this, `its list changes are not announced: ${messageOf(error)}`),
    );
    this.#become("ready");
    this.#restIfIdle();
  }

  /** Changes announced while a list is under way are fetched together, once it has come and a moment has passed. */
  async #listAgain(): Promise<void> {
    this.#listIsStale = true;
    if (this.#listing) return;
    this.#listing = true;
    try {
      for (let pauseMs = LIST_PAUSE_MS; this.#listIsStale && this.#connection; pauseMs *= 2) {
        this.#listIsStale = false;
        const { signal } = this.#attempt;
        await this.#learn(await this.#connection.listTools(signal), this.#connection);
        // A server that announces changes without end must not keep everybody busy with its list.
        await delay(Math.min(pauseMs, MAX_LIST_PAUSE_MS), undefined, { signal, ref: false }).catch(() => {});
      }
    } catch (error) {
      this.#deps.onProblem(this, `its changed tool list could not be fetched: ${messageOf(error)}`);
    } finally {
      this.#listing = false;
    }
  }

  #lost(connection: Connection, reason: string): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#fail(reason, { background: true });
  }

  /** Refuses calls for a while; a server that died in use is then reconnected without being asked. */
  #fail(reason: string, { background }: { background: boolean }): void {
    const { backoffMs } = this.#deps;
    const pause = backoffMs[Math.min(this.#failures, backoffMs.length - 1)] ?? 0;
    this.#failures++;
    this.#lastError = reason;
    clearTimeout(this.#idleTimer);
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => void this.#retry(background), pause);
    this.#retryTimer.unref();
    this.#become("unavailable", reason);
  }

  async #retry(background: boolean): Promise<void> {
    this.#retryTimer = undefined;
    const inUse = this.#deps.clock() - this.#usedAt < this.#deps.idleMs || this.#isEager();
    if (background && inUse) await this.#connectOnce({ background });
    else this.#become(this.#state);
  }

  #beginUse(): void {
    this.#calls++;
    this.#usedAt = this.#deps.clock();
    clearTimeout(this.#idleTimer);
  }

  #endUse(): void {
    this.#calls--;
    this.#usedAt = this.#deps.clock();
    this.#restIfIdle();
  }

  /** Without calls for `idleMs` the connection ends; the next call starts it again. */
  #restIfIdle(): void {
    clearTimeout(this.#idleTimer);
    if (this.#calls > 0 || !this.#connection || this.#isEager()) return;
    this.#idleTimer = setTimeout(() => void this.disconnect(), this.#deps.idleMs);
    this.#idleTimer.unref();
  }

  #isEager(): boolean {
    return this.#definition.config.connect === "eager";
  }

  #knownEra(): Era | null {
    const era = this.#definition.record.era as Era | null;
    return era !== null && this.#deps.clock() - era.at < ERA_TRUSTED_MS ? era : null;
  }

  #unavailable(reason: string): ToolResult {
    const { name } = this.#definition.record;
    return {
      kind: "unavailable",
      message: `mcp server ${name} is unavailable: ${this.#deps.redact(reason)}`,
    };
  }

  #become(state: ServerState, detail?: string): void {
    const changed = state !== this.#state || detail !== undefined;
    this.#state = state;
    if (changed) this.#deps.onState(this, detail);

    const usable = this.status().kind === "active";
    if (usable !== this.#usable) {
      this.#usable = usable;
      this.#deps.onTools(this);
    }
  }
}

function untilAborted<T>(work: Promise<Result<T, string>>, signal: AbortSignal): Promise<Result<T, string>> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve(err("the call was given up before the server was ready"));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
