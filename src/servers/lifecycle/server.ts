import { messageOf } from "../../contract/errors.ts";
import type { Answering, Tool, ToolContext, ToolResult, ToolStatus } from "../../contract/tool.ts";
import { FairQueue } from "../../lib/flow/fair-queue.ts";
import { Backoff, InUse } from "../../lib/flow/pauses.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import {
  type CallEnd,
  type ConnectFailure,
  ConnectionCall,
  deliver,
  type OpenResult,
  openUnlessAborted,
  type ServerRequest,
  SIGN_IN_NEEDED,
} from "../connection/call.ts";
import type { Connection } from "../connection/connection.ts";
import { OwnConnections, SharedConnection } from "../connection/connections.ts";
import { planAttempt } from "../connection/connector.ts";
import type { ServerState } from "../contract.ts";
import type { ToolList } from "../lists/tool-list.ts";
import type { ServerRecord } from "../records.ts";
import type { Definition } from "./definition.ts";
import type { ServerDeps } from "./server-deps.ts";
import { ServerLog } from "./server-log.ts";

type ConnectionResult = OpenResult<Connection>;

/** Why a server cannot be reached, and since when. */
export interface Failure {
  readonly message: string;
  readonly at: number | null;
}

/** How many calls of one agent may wait for one server. */
const MAX_WAITING = 1000;
const ACTIVE = { kind: "active" } as const;
const REMOVED = "it was removed";
/** The result of an attempt that was cancelled because the server has to be reconnected. */
const INTERRUPTED = {
  message: "it was disconnected while it was connecting",
  needsAuth: false,
  isInterrupted: true,
} as const;

/**
 * One server and its connection. States: idle → connecting → ready ⇄ unavailable → closed, and beside them needs_auth,
 * disabled and pending_approval. All callers share one connection, and calls that arrive while it opens wait for it. A
 * server that asks back gets a further connection for each conversation that can answer.
 */
export class Server {
  readonly log: ServerLog;
  readonly #deps: ServerDeps<Server>;
  readonly #queue: FairQueue;
  readonly ownConnections: OwnConnections;
  readonly #use: InUse;
  /** Pauses after a failure; calls are refused meanwhile. */
  readonly #backoff: Backoff;
  #definition: Definition;
  #state: ServerState;
  #tools: readonly Tool[];
  #isUsable: boolean;
  readonly #shared = new SharedConnection();
  #connecting: Promise<ConnectionResult> | undefined;
  /** Aborted and replaced whenever the attempts under way must end. */
  #life = new AbortController();
  #isClosed = false;
  /** The server is reconnected without waiting for a call, as often as necessary. */
  #hasDiedInUse = false;
  #failure: Failure | null;

  constructor(definition: Definition, deps: ServerDeps<Server>) {
    this.log = new ServerLog(deps.clock, deps.redact);
    this.#deps = deps;
    this.#definition = definition;
    this.#failure = readFailure(definition.record);
    this.#queue = new FairQueue(() => this.#definition.config.maxConcurrency, MAX_WAITING);
    this.ownConnections = new OwnConnections({
      idleMs: () => this.#idleMs,
      open: this.#openOwn,
      shared: () => this.ensureConnected(),
      retire: (connection) => this.#shared.retire(connection),
    });
    this.#use = new InUse(deps.clock);
    this.#backoff = new Backoff(deps.backoffMs);
    this.#tools = deps.buildTools(this);
    this.#state = getRestingState(this.#definition, this.#failure);
    this.#isUsable = this.status().kind === "active";
  }

  get definition(): Definition {
    return this.#definition;
  }

  get state(): ServerState {
    return this.#state;
  }

  /** Why the server is unusable or was last unreachable; null if the last attempt worked, or if there was none. */
  get failure(): Failure | null {
    const { gate } = this.#definition;
    return gate.kind === "broken" ? { message: gate.reason, at: null } : this.#failure;
  }

  get tools(): readonly Tool[] {
    return this.#tools;
  }

  /** Whether the tools can be called. An idle server counts as active, because a call starts it. */
  status(): ToolStatus {
    const { gate, record } = this.#definition;
    switch (gate.kind) {
      case "disabled":
      case "pending_approval":
        return { kind: gate.kind, reason: gate.reason };
      case "broken":
        return toUnavailable(record.name, gate.reason);
      default:
        if (this.#state === "closed") return toUnavailable(record.name, REMOVED);
        if (this.#state === "needs_auth") return toUnavailable(record.name, SIGN_IN_NEEDED);
        return this.#backoff.isPausing ? toUnavailable(record.name, this.#failure?.message ?? null) : ACTIVE;
    }
  }

  /**
   * Sends a request and starts the server if it is idle. Never rejects and never waits for a backoff. Repeats the request
   * only as the server's `retry` allows; `isRepeatable` says that running it twice does no harm.
   */
  async request(request: ServerRequest, context: ToolContext, isRepeatable: boolean): Promise<ToolResult> {
    const call = new ConnectionCall(request, context, this.#queue);
    const entering = this.#queue.enter(context.caller.agentId, call.cancellation);
    const slot = entering instanceof Promise ? await entering : entering;
    if (!slot.ok) return { ...this.#unavailable(slot.error), isUnsent: true };
    const status = this.status();
    if (status.kind !== "active") {
      slot.value();
      return { kind: "unavailable", message: status.reason, isUnsent: true };
    }
    this.#use.begin();
    try {
      const result = await deliver(call, {
        retry: this.#definition.config.retry,
        isRepeatable,
        connection: () => this.#connectionFor(call),
        refusal: () => this.#findRefusal(request),
        onEnd: this.#handleEnd,
      });
      return result.kind === "unavailable" ? { ...result, ...this.#unavailable(result.message) } : result;
    } finally {
      if (this.ownConnections.all.size > 0) this.ownConnections.release(call, call.cancellation.aborted);
      slot.value();
      this.#endUse();
    }
  }

  #findRefusal(request: ServerRequest): string | undefined {
    const { pins } = this.#deps;
    const isAnyHeld = pins.serversWithHidden.has(this.#definition.record.id);
    return isAnyHeld ? pins.findRefusal(this.#definition, request) : undefined;
  }

  /** Lends the connection to `work`, which rejects if a request over it fails. Starts the server if it is idle. */
  async useConnection<T>(
    signal: AbortSignal,
    work: (connection: Connection) => Promise<T>,
  ): Promise<Result<T, string>> {
    const status = this.status();
    if (status.kind !== "active") return err(status.reason);
    this.#use.begin();
    try {
      const opened = await openUnlessAborted(() => this.ensureConnected(), signal);
      if (!opened.ok) return err(this.#unavailable(opened.error.message).message);
      return await work(opened.value).then(ok, (error) =>
        err(this.#handleRequestFailure(opened.value, error)),
      );
    } finally {
      this.#endUse();
    }
  }

  /** Returns the live connection, joins the attempt under way, or connects. Fails if the gate is closed. */
  ensureConnected(): Promise<ConnectionResult> {
    const { current } = this.#shared;
    return current ? Promise.resolve(ok(current)) : this.#connectOnce();
  }

  /** Resolves once the offers of a connected server have been fetched. */
  async waitForOffers(): Promise<void> {
    await this.#shared.upkeep?.waitForOffers();
  }

  /** The first fetch of the offers while it is under way; requests for offers wait for it. */
  pendingOffers(): Promise<void> | undefined {
    return this.#shared.upkeep?.pendingOffers;
  }

  /** Ends the connection if no call has used it recently. */
  async disconnectUnlessUsed(): Promise<void> {
    if (!isKeptAlive(this.#definition) && !this.#use.wasWithin(this.#idleMs)) await this.disconnect();
  }

  /**
   * Applies a new definition. Connections survive unless the way to reach the server changed; then calls under way end on
   * the old ones. A server that may no longer run is disconnected.
   */
  async redefine(definition: Definition, reachChanged: boolean): Promise<void> {
    this.#definition = definition;
    this.#tools = this.#deps.buildTools(this);
    const isOpen = definition.gate.kind === "open";
    if (reachChanged || !isOpen) this.#failure = readFailure(definition.record);
    if (!isOpen) await this.disconnect();
    else if (reachChanged) await this.renew();
    this.#scheduleIdleDisconnect();
    this.#setState(this.#state);
  }

  /** Ends every connection and its calls, and any attempt under way. The next call connects again. */
  disconnect(): Promise<void> {
    return this.#startOver(() => [this.#shared.close(), this.ownConnections.close()]);
  }

  /** Gives later calls a new connection. Calls under way end on the old one; waiting calls wait for the new one. */
  renew(): Promise<void> {
    return this.#startOver(() => [this.#shared.retire(), this.ownConnections.retire()]);
  }

  async #startOver(end: () => readonly Promise<void>[]): Promise<void> {
    this.#use.stopWaiting();
    this.#backoff.reset();
    this.#hasDiedInUse = false;
    this.#life.abort();
    this.#life = new AbortController();
    await Promise.all([...end(), this.#connecting]);
    if (!this.#connecting && !this.#shared.current && this.#state !== "closed")
      this.#setState(getRestingState(this.#definition, this.#failure));
  }

  /** Permanent: the server was removed, or Toolkeep stops. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.disconnect();
    this.#setState("closed");
  }

  /** A call that could not be delivered shows that its connection has failed. */
  readonly #handleEnd = (connection: Connection, end: CallEnd): void => {
    if (end.kind !== "lost" && end.kind !== "needs_auth") return;
    this.#drop(connection, this.#deps.redact(end.message), { needsAuth: end.kind === "needs_auth" });
  };

  /** Handles failed requests that are no calls, such as fetching a list. */
  #handleRequestFailure(connection: Connection, error: unknown): string {
    const end = connection.toCallEnd(error);
    this.#handleEnd(connection, end);
    if (end.kind === "lost") void this.#retry();
    return "message" in end ? this.#deps.redact(end.message) : messageOf(error);
  }

  /**
   * A conversation gets its own connection if it can answer and the server is known to ask back, or if it wants to hear
   * what the server logs.
   */
  #connectionFor(call: ConnectionCall): ConnectionResult | Promise<ConnectionResult> {
    const { answering, logLevel, onNotice } = call;
    const { asksBack, era } = this.#definition.record;
    const own = (isExclusive = false) => this.ownConnections.get(call, isExclusive);
    if (asksBack && answering && era?.era === "legacy") return own(answering.isExclusive);
    if (logLevel !== undefined && onNotice) {
      return this.ensureConnected().then((opened) => (opened.ok && opened.value.canLog ? own() : opened));
    }
    return this.#shared.current ? ok(this.#shared.current) : this.ensureConnected();
  }

  readonly #openOwn = async (answering: Answering | undefined): Promise<ConnectionResult> => {
    const shut = findShutReason(this.#definition, this.#isClosed);
    if (shut) return err(shut);
    const { signal } = this.#life;
    const opened = await this.#openFor(signal, answering);
    if (signal.aborted) return await this.#discardInterrupted(opened);
    // Record the failure if there is no working connection, so that each later call need not discover it again.
    if (!opened.ok && (opened.error.needsAuth || !this.#shared.current)) {
      this.#fail(opened.error);
    }
    return opened;
  };

  #connectOnce(): Promise<ConnectionResult> {
    const shut = findShutReason(this.#definition, this.#isClosed);
    if (shut) return Promise.resolve(err(shut));
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<ConnectionResult> {
    const { signal } = this.#life;
    this.#backoff.end();
    this.#setState("connecting");
    const opened = await this.#open(signal);
    if (signal.aborted) return await this.#discardInterrupted(opened);
    if (opened.ok) this.#adopt(opened.value);
    else this.#fail(opened.error);
    return opened;
  }

  async #discardInterrupted(opened: ConnectionResult): Promise<ConnectionResult> {
    if (opened.ok) await opened.value.close();
    return err(findShutReason(this.#definition, this.#isClosed) ?? INTERRUPTED);
  }

  async #open(signal: AbortSignal): Promise<ConnectionResult> {
    const opened = await this.#openFor(signal);
    if (!opened.ok || signal.aborted) return opened;
    try {
      await this.#storeLists(opened.value.initialTools, opened.value);
      return opened;
    } catch (error) {
      await opened.value.close();
      return err({ message: messageOf(error), needsAuth: false });
    }
  }

  async #openFor(signal: AbortSignal, answering?: Answering): Promise<ConnectionResult> {
    const { clock, connect } = this.#deps;
    const opened = await connect(this, planAttempt(this.#definition, clock(), signal, answering));
    if (!opened.ok) return err({ ...opened.error, message: this.#deps.redact(opened.error.message) });
    opened.value.onLogMessage((level, text) => this.log.addMessage(level, text));
    return opened;
  }

  async #storeLists(list: ToolList, connection: Connection): Promise<void> {
    this.#updateRecord(await this.#deps.storeLists(this, list, connection));
    this.rebuildTools();
  }

  /** Called after the set of held tools has changed. */
  rebuildTools(): void {
    this.#tools = this.#deps.buildTools(this);
    this.#deps.onTools(this);
  }

  #updateRecord(changes: Partial<ServerRecord>): void {
    this.#definition = { ...this.#definition, record: { ...this.#definition.record, ...changes } };
  }

  #adopt(connection: Connection): void {
    this.#backoff.reset();
    this.#hasDiedInUse = false;
    this.#failure = null;
    void connection.closed.then((reason) =>
      this.#drop(connection, this.#deps.redact(reason), { needsAuth: false }),
    );
    connection.onInquiry((isAnswerable) => void this.#handleInquiry(connection, isAnswerable));
    this.#shared.adopt(connection, {
      storeTools: (list) => this.#storeLists(list, connection),
      storeOffers: (list) => this.#deps.storeOffers(this, list),
      onProblem: (message) => this.#deps.onProblem(this, message),
      onFailure: (error) => void this.#handleRequestFailure(connection, error),
      offersWaitMs: this.#deps.offersWaitMs,
    });
    this.#setState("ready");
    this.#scheduleIdleDisconnect();
  }

  /** The connection on which a server first asked back now belongs to that conversation; the others get a new one. */
  async #handleInquiry(connection: Connection, isAnswerable: boolean): Promise<void> {
    const { conversation } = connection;
    if (this.#shared.current === connection && conversation !== undefined && isAnswerable) {
      this.#shared.release();
      this.ownConnections.adopt(conversation, connection);
      this.#setState("idle");
    }
    if (this.#definition.record.asksBack) return;
    try {
      this.#updateRecord(await this.#deps.storeAsksBack(this));
    } catch (error) {
      this.#deps.onProblem(this, `that it asks back could not be stored: ${messageOf(error)}`);
    }
  }

  /** Sends no new calls over a failed connection; those under way may still succeed. */
  #drop(connection: Connection, reason: string, { needsAuth }: { needsAuth: boolean }): void {
    const isOwn = this.ownConnections.drop(connection);
    const isShared = this.#shared.current === connection;
    void this.#shared.retire(connection);
    if (!isShared && (!isOwn || !needsAuth)) return;
    this.#hasDiedInUse = !needsAuth;
    this.#fail({ message: reason, needsAuth });
  }

  /**
   * Refuses calls until a person has signed in, or for the time of the backoff. A server that died in use is then
   * reconnected without waiting for a call.
   */
  #fail({ message, needsAuth }: ConnectFailure): void {
    if (needsAuth) void this.#shared.retire();
    this.#failure = { message, at: this.#deps.clock() };
    this.#use.stopWaiting();
    if (!needsAuth) this.#backoff.pause(() => void this.#retry());
    this.#setState(needsAuth ? "needs_auth" : "unavailable", message);
  }

  async #retry(): Promise<void> {
    const inUse = isKeptAlive(this.#definition) || this.#use.wasWithin(this.#idleMs);
    if (this.#hasDiedInUse && inUse) await this.#connectOnce();
    else this.#setState(this.#state);
  }

  get #idleMs(): number {
    return this.#deps.idleMs ?? this.#deps.live.settings.mcp.idleMs;
  }

  #endUse(): void {
    this.#use.end();
    if (this.ownConnections.all.size > 0) this.ownConnections.scheduleIdleClose();
    this.#scheduleIdleDisconnect();
  }

  /** Disconnects after `idleMs` without calls; the next call connects again. */
  #scheduleIdleDisconnect(): void {
    this.#use.stopWaiting();
    if (!this.#shared.current || isKeptAlive(this.#definition)) return;
    this.#use.whenIdle(this.#idleMs, () => void this.disconnect());
  }

  #unavailable(reason: string): ToolResult & { kind: "unavailable" } {
    const { name } = this.#definition.record;
    return { kind: "unavailable", message: toUnavailable(name, this.#deps.redact(reason)).reason };
  }

  #setState(state: ServerState, detail?: string): void {
    const hasChanged = state !== this.#state || detail !== undefined;
    this.#state = state;
    if (hasChanged) {
      this.log.addState(state, detail);
      this.#deps.onState(this, detail);
    }
    const isUsable = this.status().kind === "active";
    if (isUsable !== this.#isUsable) {
      this.#isUsable = isUsable;
      this.#deps.onTools(this);
    }
  }
}

/** Reads the stored failure, so that a broken server does not look idle after a restart. */
function readFailure({ lastError, failedAt }: ServerRecord): Failure | null {
  return lastError === null ? null : { message: lastError, at: failedAt };
}

/** The state of an unused server. If its last start failed it is not idle: people must see that it is broken. */
function getRestingState({ gate }: Definition, failure: Failure | null): ServerState {
  if (gate.kind === "open") return failure === null ? "idle" : "unavailable";
  return gate.kind === "broken" ? "unavailable" : gate.kind;
}

/** Why nothing may be started now. A call that waited may get here after the server was removed. */
function findShutReason({ gate }: Definition, isClosed: boolean): ConnectFailure | undefined {
  if (isClosed) return { message: REMOVED, needsAuth: false };
  return gate.kind === "open" ? undefined : { message: gate.reason, needsAuth: false };
}

/** Never disconnected for lack of calls. */
function isKeptAlive({ config: { connect, keepAlive } }: Definition): boolean {
  return keepAlive || connect === "eager";
}

/** Builds the start of every message about a server that cannot answer. */
function toUnavailable(name: string, reason: string | null): { kind: "unavailable"; reason: string } {
  const why = reason === null ? "" : `: ${reason}`;
  return { kind: "unavailable", reason: `mcp server ${name} is unavailable${why}` };
}
