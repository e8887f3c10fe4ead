import { completeServerConfig } from "../config/server-config.ts";
import type { ServerConfig, Settings } from "../config/settings.ts";
import { messageOf, ToolkeepError } from "../errors.ts";
import type { Events } from "../events.ts";
import type { Clock } from "../lib/clock.ts";
import type { NewId } from "../lib/id.ts";
import type { Log } from "../lib/log.ts";
import { nearest } from "../lib/nearest.ts";
import { err, type Result } from "../lib/result.ts";
import { createSerial } from "../lib/serial.ts";
import type { Processes } from "../process/processes.ts";
import type { Store } from "../store/store.ts";
import type { Tool } from "../tool.ts";
import type { Vault } from "../vault/vault.ts";
import { atMost } from "./at-most.ts";
import type { ConnectOptions } from "./connect.ts";
import type { Connection } from "./connection.ts";
import { type Definition, define } from "./definition.ts";
import { LearnedTools } from "./learned-tools.ts";
import { secretValues } from "./secret-values.ts";
import { Server, type ServerDeps } from "./server.ts";
import { reachChanged } from "./server-change.ts";
import { ServerRows } from "./server-rows.ts";
import { viewOf } from "./server-view.ts";
import { testReport } from "./test-report.ts";
import type { ServerInput, ServerView, TestReport, Upstream } from "./upstream.ts";

export interface UpstreamDeps {
  readonly store: Pick<Store, "servers" | "toolNames" | "notifications">;
  readonly vault: Pick<Vault, "seal" | "unseal" | "conceal" | "redact">;
  readonly processes: Processes;
  readonly settings: Settings;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  /** Names no server's tool may take: those of native tools. */
  readonly reservedNames: () => ReadonlySet<string>;
  /** The daemon's own environment, of which servers get what is not the daemon's alone. */
  readonly baseEnv: NodeJS.ProcessEnv;
  /** Toolkeep's version, as it introduces itself to servers. */
  readonly version: string;
  /** Without calls for this long a server is stopped. */
  readonly idleMs?: number;
  /** How long calls are refused after the first, second … failure in a row; the last value repeats. */
  readonly backoffMs?: readonly number[];
}

const IDLE_MS = 10 * 60_000;
const BACKOFF_MS = [1000, 2000, 5000, 15_000, 60_000];
/** How many servers are connected to at once to learn their tools. */
const BACKGROUND_CONNECTIONS = 4;
const MIN_TEST_MS = 1000;
const MAX_TEST_MS = 10_000;
/** Whatever changes the set of servers waits for what changes it already. */
const CHANGES = "changes";

/**
 * Reads every registered server and its last tool list from the store. Of the servers it starts, in the background,
 * only those that are `eager` or whose tools were never listed.
 */
export async function createUpstream(deps: UpstreamDeps): Promise<Upstream> {
  const servers = new Servers(deps, await LearnedTools.open(deps.store, deps.reservedNames, deps.clock));
  await servers.apply(deps.settings);
  return servers;
}

class Servers implements Upstream {
  readonly name = "mcp";
  readonly #deps: UpstreamDeps;
  readonly #learned: LearnedTools;
  readonly #rows: ServerRows;
  readonly #byId = new Map<string, Server>();
  readonly #listeners = new Set<() => void>();
  readonly #serial = createSerial();
  readonly #fewAtOnce = atMost(BACKGROUND_CONNECTIONS);
  readonly #background = new Set<Promise<unknown>>();
  #settings: Settings;
  #tools: readonly Tool[] | undefined;
  #closed = false;

  constructor(deps: UpstreamDeps, learned: LearnedTools) {
    this.#deps = deps;
    this.#learned = learned;
    this.#rows = new ServerRows(deps);
    this.#settings = deps.settings;
  }

  tools(): readonly Tool[] {
    this.#tools ??= this.#sorted().flatMap((server) => server.tools);
    return this.#tools;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  servers(): readonly ServerView[] {
    return this.#sorted().map((server) => viewOf(server, this.#settings));
  }

  server(name: string): ServerView {
    return viewOf(this.#find(name), this.#settings);
  }

  add(name: string, input: ServerInput, { addedBy }: { addedBy?: string } = {}): Promise<ServerView> {
    return this.#change(name, async () => {
      this.#mustBeFree(name);
      const isPending = addedBy !== undefined && this.#settings.mcp.requireApproval;
      const config = completeServerConfig(name, input, "stored");
      await this.#rows.add(config, { isPending, addedBy: addedBy ?? null });
    });
  }

  update(name: string, change: ServerInput & { readonly name?: string }): Promise<ServerView> {
    const { name: newName = name, ...input } = change;
    return this.#change(newName, async () => {
      const { definition } = this.#find(name);
      if (newName !== name) this.#mustBeFree(newName);
      await this.#rows.change(definition, newName, input);
    });
  }

  remove(name: string): Promise<void> {
    return this.#serial(CHANGES, async () => {
      const { definition } = this.#find(name);
      await this.#rows.remove(definition);
      this.#learned.forget(definition.record.id);
      await this.#refresh();
    });
  }

  approve(name: string): Promise<ServerView> {
    return this.#change(name, () => this.#rows.approve(this.#find(name).definition));
  }

  async test(name: string, { signal }: { signal?: AbortSignal } = {}): Promise<TestReport> {
    const server = this.#find(name);
    const { gate, config } = server.definition;
    if (gate.kind === "disabled") return await this.#tryOut(config, config.connectTimeoutMs, signal);
    return await testReport(async () => {
      if (gate.kind !== "open") return { ok: false, error: gate.reason };
      await server.disconnect();
      const giveUp = () => void server.disconnect();
      signal?.addEventListener("abort", giveUp, { once: true });
      return await server.connected().finally(() => signal?.removeEventListener("abort", giveUp));
    }, this.#deps.clock);
  }

  async testConfig(
    input: ServerInput,
    { timeoutMs = MAX_TEST_MS, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<TestReport> {
    const config = completeServerConfig("unregistered", input, "stored");
    for (const value of secretValues(config)) this.#deps.vault.conceal(value);
    return await this.#tryOut(config, Math.min(timeoutMs, MAX_TEST_MS), signal);
  }

  async settled(): Promise<void> {
    while (this.#background.size > 0) await Promise.all(this.#background);
  }

  apply(settings: Settings): Promise<void> {
    return this.#serial(CHANGES, async () => {
      this.#settings = settings;
      await this.#refresh();
    });
  }

  reload(): Promise<void> {
    return this.#serial(CHANGES, async () => {
      await this.#learned.reload();
      await this.#refresh();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#serial(CHANGES, async () => {});
    await Promise.all([...this.#byId.values()].map((server) => server.disconnect()));
    await this.settled();
  }

  #change(name: string, write: () => Promise<void>): Promise<ServerView> {
    return this.#serial(CHANGES, async () => {
      await write();
      await this.#refresh();
      return this.server(name);
    });
  }

  /** Makes the servers in memory what the store and the settings files say. */
  async #refresh(): Promise<void> {
    const declared = new Map(this.#settings.servers.map((server) => [server.name, server]));
    const gone = new Set(this.#byId.keys());
    for (const record of await this.#rows.list(declared.values())) {
      const definition = define(record, declared.get(record.name), this.#settings, this.#deps.vault);
      if (definition) {
        gone.delete(record.id);
        await this.#put(definition);
      } else if (record.config) {
        this.#deps.log.error({ server: record.name }, "the stored configuration of a server cannot be used");
      }
    }
    for (const id of gone) {
      await this.#byId.get(id)?.disconnect();
      this.#byId.delete(id);
    }
    this.#changed();
  }

  async #put(definition: Definition): Promise<void> {
    for (const value of secretValues(definition.config)) this.#deps.vault.conceal(value);
    const { record, config, gate } = definition;
    const existing = this.#byId.get(record.id);
    const before = existing?.definition;
    const server = existing ?? new Server(definition, this.#serverDeps);
    this.#byId.set(record.id, server);

    const moved = before !== undefined && reachChanged(before.config, config);
    await existing?.redefine(definition, moved);
    const opened = before !== undefined && before.gate.kind !== "open";
    const unlisted = before === undefined && (record.listedAt === null || config.connect === "eager");
    if (gate.kind === "open" && (unlisted || moved || opened)) this.#connectInBackground(server);
  }

  #connectInBackground(server: Server): void {
    this.#track(
      this.#fewAtOnce(async () => {
        if (!this.#closed && server.definition.gate.kind === "open") await server.connected();
      }),
    );
  }

  get #serverDeps(): ServerDeps {
    const { vault, clock, idleMs = IDLE_MS, backoffMs = BACKOFF_MS } = this.#deps;
    return {
      connect: async (config, options) =>
        this.#closed ? err("Toolkeep is closing") : await this.#connect(config, options),
      learn: async (server, list, connection) => {
        for (const warning of list.warnings) this.#warn(server, warning);
        const news = await this.#learned.learn(server, list, connection, this.#settings);
        const nameless = list.tools.length - this.#learned.of(server, this.#settings).length;
        if (nameless > 0)
          this.#warn(server, `${nameless} tools were left out: it has had too many names already`);
        return news;
      },
      toolsOf: (server) => this.#learned.of(server, this.#settings),
      onState: (server, detail) => this.#stateChanged(server, detail),
      onTools: () => this.#changed(),
      onProblem: (server, message) => this.#warn(server, message),
      redact: (text) => vault.redact(text),
      clock,
      idleMs,
      backoffMs,
    };
  }

  /** The MCP client is loaded with the first connection: a daemon whose servers all rest starts without it. */
  async #connect(config: ServerConfig, options: ConnectOptions): Promise<Result<Connection, string>> {
    const { connect } = await import("./connect.ts");
    return connect(config, options, this.#connectionDeps);
  }

  get #connectionDeps() {
    const { processes, baseEnv, vault, version, clock } = this.#deps;
    const { maxMessageBytes } = this.#settings.limits;
    const redact = (text: string) => vault.redact(text);
    const isSecret = (value: string) => redact(value) !== value;
    return { processes, baseEnv, isSecret, redact, maxMessageBytes, version, clock };
  }

  /** Connects to a configuration without taking part in any server's life. */
  #tryOut(config: ServerConfig, timeoutMs: number, signal?: AbortSignal): Promise<TestReport> {
    return testReport(async () => {
      const options = {
        timeoutMs: Math.max(timeoutMs, MIN_TEST_MS),
        signal: signal ?? new AbortController().signal,
        prior: null,
      };
      const connection = await this.#connect(config, options);
      if (connection.ok) await connection.value.close();
      return connection.ok ? connection : { ok: false, error: this.#deps.vault.redact(connection.error) };
    }, this.#deps.clock);
  }

  #stateChanged(server: Server, detail: string | undefined): void {
    const { id, name } = server.definition.record;
    const { state } = server;
    this.#deps.events.emit("server.state", {
      server: name,
      state,
      ...(detail === undefined ? {} : { detail }),
    });
    if (detail === undefined) return;
    this.#warn(server, detail);
    const write = this.#deps.store.servers.update(id, { lastError: detail });
    this.#track(write.catch((error) => this.#warn(server, `its error was not stored: ${messageOf(error)}`)));
  }

  #warn(server: Server, message: string): void {
    const { name } = server.definition.record;
    this.#deps.log.warn(
      { server: name, state: server.state },
      `mcp server ${name}: ${this.#deps.vault.redact(message)}`,
    );
  }

  #track(work: Promise<unknown>): void {
    this.#background.add(work);
    void work.finally(() => this.#background.delete(work));
  }

  #changed(): void {
    this.#tools = undefined;
    for (const listener of this.#listeners) listener();
  }

  #sorted(): Server[] {
    const nameOf = (server: Server) => server.definition.record.name;
    return [...this.#byId.values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  }

  #named(name: string): Server | undefined {
    return [...this.#byId.values()].find((server) => server.definition.record.name === name);
  }

  #find(name: string): Server {
    const server = this.#named(name);
    if (server) return server;
    const close = nearest(
      name,
      this.#sorted().map((known) => known.definition.record.name),
    );
    const hint = close === undefined ? "" : `; did you mean ${JSON.stringify(close)}?`;
    throw new ToolkeepError("NOT_FOUND", `there is no server ${JSON.stringify(name)}${hint}`);
  }

  #mustBeFree(name: string): void {
    if (!this.#named(name)) return;
    throw new ToolkeepError("NAME_TAKEN", `expected a new name, but a server ${JSON.stringify(name)} exists`);
  }
}
