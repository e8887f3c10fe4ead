import type { Caller } from "../contract/caller.ts";
import { messageOf, ToolkeepError } from "../contract/errors.ts";
import type { Events } from "../contract/events.ts";
import type { OfferDefinition, OfferOrigin, OfferSource } from "../contract/offer.ts";
import type { Tool, ToolSource } from "../contract/tool.ts";
import { createSerial } from "../lib/flow/serial.ts";
import type { NewId } from "../lib/id.ts";
import { err } from "../lib/result.ts";
import { prefixOf } from "../lib/tool-name.ts";
import { completeServerConfig } from "../machine/config/sections/server-config.ts";
import type { Settings } from "../machine/config/settings.ts";
import type { SignInStart, SignInStatus } from "./auth/contract.ts";
import { SignIns } from "./auth/sign-ins.ts";
import type { OpenResult } from "./connection/call.ts";
import type { Connection } from "./connection/connection.ts";
import {
  type Connector,
  type ConnectorDeps,
  createConnector,
  toConnectTarget,
  toSignInTarget,
} from "./connection/connector.ts";
import type { ServerInput, ServerLogPage, ServerView, TestReport } from "./contract.ts";
import { Background } from "./lifecycle/background.ts";
import { type Definition, define } from "./lifecycle/definition.ts";
import { Server } from "./lifecycle/server.ts";
import { hasReachChanged, hasSameBytes } from "./lifecycle/server-change.ts";
import type { ServerDeps } from "./lifecycle/server-deps.ts";
import type { StepListener } from "./lifecycle/server-log.ts";
import { ServerRows } from "./lifecycle/server-rows.ts";
import { collectSecretValues } from "./lifecycle/server-secrets.ts";
import { ServerSet } from "./lifecycle/server-set.ts";
import { ServerTests } from "./lifecycle/server-tests.ts";
import { toServerView } from "./lifecycle/server-view.ts";
import type { Offer } from "./lists/offer-key.ts";
import { ServerLists } from "./lists/server-lists.ts";
import { buildOrigins } from "./lists/server-offers.ts";
import { createWatchedResources } from "./lists/watched-resources.ts";
import type { ToolNameChange } from "./records.ts";
import type { ServerTables } from "./tables/server-tables.ts";
import { removePrivateHome } from "./transport/confined-server.ts";
import { isPinned } from "./trust/pins.ts";
import { ServerTrust } from "./trust/server-trust.ts";

export interface UpstreamDeps extends Omit<ConnectorDeps, "settings" | "signIns"> {
  readonly store: ServerTables;
  readonly settings: Settings;
  readonly events: Events;
  readonly newId: NewId;
  /** The names of native tools, which no server's tool may take. */
  readonly reservedNames: () => ReadonlySet<string>;
  /** How long a server may be idle before it is stopped; default `settings.mcp.idleMs`. */
  readonly idleMs?: number;
  /** How long calls are refused after the first, second … consecutive failure; the last value repeats. */
  readonly backoffMs?: readonly number[];
  /** How long a request for resources or prompts waits for a connected server's first list. */
  readonly offersWaitMs?: number;
}

const OFFERS_WAIT_MS = 5000;
const BACKOFF_MS = [1000, 2000, 5000, 15_000, 60_000];
/** Serialises changes of the set of servers. */
const CHANGES = "changes";
/** Leaves room for the tool's name within 50 characters. */
const MAX_PREFIX = 30;

interface CancelOptions {
  readonly signal?: AbortSignal;
}

interface StepOptions {
  readonly onStep?: StepListener;
}

/**
 * All registered MCP servers, their tools and offers. Listing needs no running server, because the last lists are in the
 * store. A server is started on first use.
 */
export class Upstream implements ToolSource, OfferSource {
  readonly name = "mcp";
  /** Shows servers' definitions to people and takes their decisions. */
  readonly trust: ServerTrust;
  readonly #deps: UpstreamDeps;
  readonly #lists: ServerLists;
  readonly #rows: ServerRows;
  readonly #signIns: SignIns;
  readonly #connect: Connector;
  readonly #set = new ServerSet();
  readonly #getWatched = createWatchedResources();
  readonly #cleanCache = new WeakMap<OfferDefinition, OfferDefinition>();
  readonly #listeners = new Set<() => void>();
  readonly #offerListeners = new Set<() => void>();
  readonly #serial = createSerial();
  readonly #background = new Background();
  readonly #tests: ServerTests;
  /** Shared with parts that must see changed settings at once. */
  readonly #live: { settings: Settings };
  #tools: readonly Tool[] | undefined;
  #origins: readonly OfferOrigin[] | undefined;
  #isClosed = false;

  private constructor(deps: UpstreamDeps, live: { settings: Settings }, lists: ServerLists) {
    this.#deps = deps;
    this.#live = live;
    this.#lists = lists;
    this.#rows = new ServerRows(deps);
    const settings = () => live.settings;
    this.#signIns = new SignIns({ ...deps, settings });
    this.#connect = createConnector({ ...deps, settings, signIns: this.#signIns });
    this.#tests = new ServerTests(this.#connect, deps);
    this.trust = new ServerTrust({ set: this.#set, lists, settings, events: deps.events });
  }

  /**
   * Reads every registered server and its last lists from the store. Starts, in the background, only servers that are
   * `eager` or were never listed.
   */
  static async open(deps: UpstreamDeps): Promise<Upstream> {
    const live = { settings: deps.settings };
    const upstream = new Upstream(deps, live, await ServerLists.open({ ...deps, live }));
    await upstream.apply(deps.settings);
    return upstream;
  }

  tools(): readonly Tool[] {
    this.#tools ??= this.#set.listSorted().flatMap((server) => server.tools);
    return this.#tools;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  origins(): readonly OfferOrigin[] {
    this.#origins ??= buildOrigins(this.#set.listSorted(), {
      getOffers: (server) => this.#lists.getOffers(server),
      getWatched: this.#getWatched,
      settings: this.#live.settings,
      cleanCache: this.#cleanCache,
    });
    return this.#origins;
  }

  onOffersChange(listener: () => void): () => void {
    this.#offerListeners.add(listener);
    return () => this.#offerListeners.delete(listener);
  }

  servers(): readonly ServerView[] {
    return this.#set.listSorted().map((server) => this.#toView(server));
  }

  /** Every server as it is in effect, with its secret values. */
  definitions(): readonly Definition[] {
    return this.#set.listSorted().map(({ definition }) => definition);
  }

  /** Whether there is a server of this name. */
  hasServer(name: string): boolean {
    return this.#set.has(name);
  }

  /** Throws NOT_FOUND and suggests the nearest name, as does every method below that takes a name. */
  server(name: string): ServerView {
    return this.#toView(this.#set.getByName(name));
  }

  /**
   * Registers a server and connects to it in the background to list its tools. Replaces a person's server of the same name
   * that never worked; throws NAME_TAKEN for any other. `addedBy` names the agent, if one added it.
   */
  add(name: string, input: ServerInput, { addedBy }: { addedBy?: string } = {}): Promise<ServerView> {
    return this.#change(name, async () => {
      const broken = addedBy === undefined && this.#set.findNeverWorked(name);
      if (!broken) this.#set.assertFree(name);
      const isPending = addedBy !== undefined && this.#live.settings.mcp.requireApproval;
      const config = completeServerConfig(name, input, "stored");
      if (broken) await this.#removeServer(broken);
      await this.#rows.add(config, { isPending, addedBy: addedBy ?? null });
      return "added";
    });
  }

  /**
   * Changes a server; a change to how it is reached disconnects it. A blank env or header value keeps the stored one. `by`
   * names the agent, if one made the change; its changes to the name or to how the server is reached need approval.
   */
  update(
    name: string,
    change: ServerInput & { readonly name?: string },
    { by }: { by?: string } = {},
  ): Promise<ServerView> {
    const { name: newName = name, ...input } = change;
    return this.#change(newName, async () => {
      const { definition } = this.#set.getByName(name);
      if (newName !== name) this.#set.assertFree(newName);
      const { requireApproval } = this.#live.settings.mcp;
      await this.#rows.change(
        definition,
        newName,
        input,
        by === undefined ? by : { name: by, requireApproval },
      );
      return "changed";
    });
  }

  /**
   * Gives the server's tools another prefix. `check` sees every renamed tool first and throws to refuse. Throws BAD_REQUEST
   * for an invalid prefix.
   */
  changePrefix(
    name: string,
    prefix: string,
    check: (changes: readonly ToolNameChange[]) => void,
  ): Promise<readonly ToolNameChange[]> {
    return this.#serial(CHANGES, async () => {
      const { record } = this.#set.getByName(name).definition;
      if (prefix !== prefixOf(prefix) || prefix.length > MAX_PREFIX)
        throw new ToolkeepError(
          "BAD_REQUEST",
          `a prefix has 1 to ${MAX_PREFIX} lower-case letters, digits and _, and neither begins nor ends with _; got ${JSON.stringify(prefix.slice(0, 80))}`,
        );
      const changes = await this.#lists.tools.rename(record, prefix, this.#live.settings, check);
      await this.#deps.store.servers.update(record.id, { prefix, updatedAt: this.#deps.clock() });
      await this.#refresh();
      this.#deps.events.emit("server.changed", { server: name, change: "changed" });
      return changes;
    });
  }

  remove(name: string): Promise<void> {
    return this.#serial(CHANGES, async () => {
      try {
        await this.#removeServer(this.#set.getByName(name));
      } finally {
        await this.#refresh();
      }
      this.#deps.events.emit("server.changed", { server: name, change: "removed" });
    });
  }

  /** Throws BAD_REQUEST if the server was changed after `changedAt`, the version that the person looked at. */
  approve(name: string, options?: { changedAt?: number }): Promise<ServerView> {
    return this.#change(name, async () => {
      await this.#rows.approve(this.#set.getByName(name).definition, options);
      return "changed";
    });
  }

  /** Closes the live connection, opens a new one and lists the tools. Resolves for every failure of the server. */
  test(name: string, options?: CancelOptions & StepOptions): Promise<TestReport> {
    return this.#tests.test(this.#set.getByName(name), options);
  }

  /** The same for an unregistered configuration. Stores nothing and takes at most 10 s. */
  testConfig(
    input: ServerInput,
    options?: CancelOptions & StepOptions & { timeoutMs?: number },
  ): Promise<TestReport> {
    return this.#tests.testConfig(input, options);
  }

  /** The server's log after the cursor `since`. */
  logs(name: string, options?: { since?: number; limit?: number }): ServerLogPage {
    return this.#set.getByName(name).log.read(options);
  }

  /** Determines where a person signs in. Throws BAD_REQUEST if that is not possible. */
  async beginSignIn(name: string, options: { redirectUri: string }): Promise<SignInStart> {
    const server = this.#set.getByName(name);
    const start = await this.#signIns.begin(toSignInTarget(server), options);
    if (start.url === null) await this.#reconnect(server);
    return start;
  }

  /** Takes the authorization server's answer from the browser. Throws BAD_REQUEST if it fits no sign-in. */
  async completeSignIn(params: URLSearchParams): Promise<ServerView> {
    const { serverId } = await this.#signIns.complete(params, (id) => {
      const server = this.#set.byId(id);
      return server && toSignInTarget(server);
    });
    const server = this.#set.byId(serverId);
    if (!server) throw new ToolkeepError("NOT_FOUND", "the server was removed meanwhile");
    await this.#reconnect(server);
    return this.#toView(server);
  }

  async signOut(name: string): Promise<ServerView> {
    const server = this.#set.getByName(name);
    await this.#signIns.signOut(toConnectTarget(server));
    await server.disconnect();
    return this.#toView(server);
  }

  signInStatus(name: string): Promise<SignInStatus> {
    return this.#signIns.status(toConnectTarget(this.#set.getByName(name)));
  }

  /** The last listed resources, resource templates and prompts. */
  offers(name: string): readonly Offer[] {
    return this.#lists.getOffers(this.#set.getByName(name));
  }

  /** Resolves once no connection attempt of `add` or `approve` is under way, to any server or to the named one. */
  settled(name?: string): Promise<void> {
    return name === undefined
      ? this.#background.waitUntilDone()
      : this.#background.waitForLists(this.#set.getByName(name));
  }

  /** Applies changed settings: servers declared in files come and go without a restart. */
  apply(settings: Settings): Promise<void> {
    return this.#serial(CHANGES, async () => {
      this.#live.settings = settings;
      await this.#refresh();
    });
  }

  /** Reads the servers and tool lists that another process stored. */
  reload(): Promise<void> {
    return this.#serial(CHANGES, async () => {
      await this.#lists.reload();
      await this.#refresh();
    });
  }

  /** The roots of this conversation's client changed. */
  notifyRootsChanged(caller: Caller): void {
    for (const server of this.#set.listSorted()) server.ownConnections.notifyRootsChanged(caller);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#background.stop();
    await this.#serial(CHANGES, async () => {});
    await Promise.all(this.#set.listSorted().map((server) => server.close()));
    await this.settled();
    await this.#signIns.close();
  }

  async #removeServer(server: Server): Promise<void> {
    const { record, config } = server.definition;
    if (config.source === "stored") {
      // First, so that the server writes nothing into its row after that is emptied.
      await server.close();
      this.#set.delete(record.id);
    }
    await this.#rows.remove(server.definition);
    await this.#lists.forget(record.id);
    await this.#signIns.forget(record.id);
    await removePrivateHome(this.#live.settings.home, record.id);
  }

  #toView(server: Server): ServerView {
    return toServerView(server, this.#live.settings, { ...this.#deps, lists: this.#lists });
  }

  #change(name: string, write: () => Promise<"added" | "changed">): Promise<ServerView> {
    return this.#serial(CHANGES, async () => {
      const change = await write();
      await this.#refresh();
      this.#deps.events.emit("server.changed", { server: name, change });
      return this.server(name);
    });
  }

  /** Brings the servers in memory in line with the store and the settings files. */
  async #refresh(): Promise<void> {
    const declared = new Map(this.#live.settings.servers.map((server) => [server.name, server]));
    const removedIds = new Set(this.#set.ids);
    for (const record of await this.#rows.list(declared.values())) {
      const definition = define(record, declared.get(record.name), this.#live.settings, this.#deps.vault);
      if (definition) {
        removedIds.delete(record.id);
        await this.#put(definition);
      } else if (record.config) {
        this.#deps.log.error({ server: record.name }, "servers: a stored configuration is unusable");
      }
    }
    for (const id of removedIds) {
      await this.#set.byId(id)?.close();
      this.#set.delete(id);
    }
    this.#notifyToolsChanged();
  }

  async #put(definition: Definition): Promise<void> {
    for (const value of collectSecretValues(definition.config)) this.#deps.vault.conceal(value);
    const { record, config, gate } = definition;
    if ((config.sandbox?.mode ?? "off") !== "off") await this.#deps.sandbox.check(); // its view says what was found
    if (!isPinned(definition, this.#live.settings)) await this.#lists.unpin(record.id);
    const existing = this.#set.byId(record.id);
    const before = existing?.definition;
    const server = existing ?? new Server(definition, this.#serverDeps);
    this.#set.put(record.id, server);
    const isMoved = before !== undefined && hasReachChanged(before.config, config);
    await existing?.redefine(definition, isMoved);
    const isOpened = before !== undefined && before.gate.kind !== "open";
    const isUnlisted = before === undefined && (record.listedAt === null || config.connect === "eager");
    // Another process on the same store may have signed in.
    const isSignedIn = server.state === "needs_auth" && !hasSameBytes(before?.record.auth, record.auth);
    if (isSignedIn) await this.#reconnect(server);
    else if (gate.kind === "open" && (isUnlisted || isMoved || isOpened)) this.#background.fetchLists(server);
  }

  async #reconnect(server: Server): Promise<void> {
    await server.renew();
    this.#background.fetchLists(server);
  }

  get #serverDeps(): ServerDeps<Server> {
    const { vault, clock, idleMs, backoffMs = BACKOFF_MS, offersWaitMs = OFFERS_WAIT_MS } = this.#deps;
    const lists = this.#lists;
    const warn = (server: Server, message: string) => this.#warn(server, message);
    const isServer = (name: string) => this.#set.has(name);
    return {
      connect: async (server, attempt) => {
        if (this.#isClosed) return err({ message: "Toolkeep is closing", needsAuth: false });
        return await this.#inspect(server, await this.#connect(toConnectTarget(server), attempt));
      },
      storeLists: (server, list, connection) => lists.storeTools(server, list, connection, warn, isServer),
      storeOffers: async (server, list) => {
        if (await lists.storeOffers(server, list, warn, isServer)) this.#notifyOffersChanged();
      },
      pins: lists.pins,
      storeAsksBack: (server) => lists.storeAsksBack(server),
      buildTools: (server) => lists.getTools(server),
      onState: (server, detail) => this.#handleState(server, detail),
      onTools: () => this.#notifyToolsChanged(),
      onProblem: warn,
      redact: (text) => vault.redact(text),
      clock,
      live: this.#live,
      ...(idleMs !== undefined && { idleMs }),
      backoffMs,
      offersWaitMs,
    };
  }

  /** A connection of one conversation may reveal changed tools or prompts that the shared one did not. Never rejects. */
  async #inspect(server: Server, opened: OpenResult<Connection>): Promise<OpenResult<Connection>> {
    if (!opened.ok) return opened;
    try {
      if (await this.#lists.inspect(server, opened.value)) server.rebuildTools();
      return opened;
    } catch (error) {
      await opened.value.close();
      return err({ message: messageOf(error), needsAuth: false });
    }
  }

  #handleState(server: Server, detail: string | undefined): void {
    const { id, name } = server.definition.record;
    const change = { server: name, state: server.state, ...(detail === undefined ? {} : { detail }) };
    this.#deps.events.emit("server.state", change);
    if (detail === undefined) return;
    this.#warn(server, detail);
    const write = this.#deps.store.servers.update(id, {
      lastError: detail,
      failedAt: server.failure?.at ?? null,
    });
    this.#background.track(
      write.catch((error) => this.#warn(server, `its error could not be stored: ${messageOf(error)}`)),
    );
  }

  #warn(server: Server, message: string): void {
    const { name } = server.definition.record;
    this.#deps.log.warn(
      { server: name, state: server.state },
      `mcp server ${name}: ${this.#deps.vault.redact(message)}`,
    );
  }

  #notifyToolsChanged(): void {
    this.#tools = undefined;
    for (const listener of this.#listeners) listener();
    this.#notifyOffersChanged();
  }

  #notifyOffersChanged(): void {
    this.#origins = undefined;
    for (const listener of this.#offerListeners) listener();
  }
}
