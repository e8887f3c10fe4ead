import { messageOf } from "../../contract/errors.ts";
import type { Answering, Tool, ToolContext, ToolResult, ToolStatus } from "../../contract/tool.ts";
import { FairQueue } from "../../lib/flow/fair-queue.ts";
import { Backoff, InUse } from "../../lib/flow/pauses.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { ServerRecord } from "../../machine/db/store.ts";
import {
  type CallEnd,
  type ConnectFailure,
  ConnectionCall,
  deliver,
  type OpenResult as OpenedAs,
  openUnlessAborted,
  type ServerRequest,
  SIGN_IN_NEEDED,
} from "../connection/call.ts";
import type { Connection } from "../connection/connection.ts";
import { OwnConnections, SharedConnection } from "../connection/connections.ts";
import { planAttempt } from "../connection/connector.ts";
import type { ToolList } from "../lists/tool-list.ts";
import type { ServerState } from "../views.ts";
import type { Definition } from "./definition.ts";
import type { ServerDeps } from "./server-deps.ts";
import { ServerLog } from "./server-log.ts";

type Opened = OpenedAs<Connection>;

/** Why a server cannot be reached, and since when that is known. */
export interface Failure {
  readonly message: string;
  readonly at: number | null;
}

/** At most this many calls of one agent wait for one server. */
const MAX_WAITING = 1000;
const ACTIVE = { kind: "active" } as const;
const REMOVED = "it was removed";
/** An attempt to connect that ended because the server is to be reached anew. */
const INTERRUPTED = {
  message: "it was disconnected while it was connecting",
  needsAuth: false,
  isInterrupted: true,
} as const;

/**
 * One server and its connection: idle → connecting → ready ⇄ unavailable → closed, beside them needs_auth, disabled
 * and pending_approval. One connection serves all callers; calls that come while it is made share it. A server that
 * asks back gets a further connection for each conversation that can answer.
 */
export class Server {
  readonly log: ServerLog;
  readonly #deps: ServerDeps<Server>;
  readonly #queue: FairQueue;
  readonly own: OwnConnections;
  readonly #use: InUse;
  /** Pausing while calls are refused after a failure. */
  readonly #backoff: Backoff;
  #definition: Definition;
  #state: ServerState;
  #tools: readonly Tool[];
  #usable: boolean;
  readonly #shared = new SharedConnection();
  #connecting: Promise<Opened> | undefined;
  /** Renewed whenever what is being opened must end. */
  #life = new AbortController();
  #isClosed = false;
  /** It is reconnected without being asked, as often as it takes. */
  #diedInUse = false;
  #failure: Failure | null;

  constructor(definition: Definition, deps: ServerDeps<Server>) {
    this.log = new ServerLog(deps.clock, deps.redact);
    this.#deps = deps;
    this.#definition = definition;
    this.#failure = failureIn(definition.record);
    this.#queue = new FairQueue(() => this.#definition.config.maxConcurrency, MAX_WAITING);
    this.own = new OwnConnections({
      idleMs: () => this.#idleMs,
      open: this.#openOwn,
      shared: () => this.connected(),
      retire: (connection) => this.#shared.retire(connection),
    });
    this.#use = new InUse(deps.clock);
    this.#backoff = new Backoff(deps.backoffMs);
    this.#tools = deps.toolsOf(this);
    this.#state = restingState(this.#definition, this.#failure);
    this.#usable = this.status().kind === "active";
  }

  get definition(): Definition {
    return this.#definition;
  }

  get state(): ServerState {
    return this.#state;
  }

  /** Why it cannot be used, or the last attempt to reach it failed; null where that worked, or nobody has tried. */
  get failure(): Failure | null {
    const { gate } = this.#definition;
    return gate.kind === "broken" ? { message: gate.reason, at: null } : this.#failure;
  }

  get tools(): readonly Tool[] {
    return this.#tools;
  }

  /** Whether the tools can be called; an idle server counts, because a call starts it. */
  status(): ToolStatus {
    const { gate, record } = this.#definition;
    switch (gate.kind) {
      case "disabled":
      case "pending_approval":
        return { kind: gate.kind, reason: gate.reason };
      case "broken":
        return unavailable(record.name, gate.reason);
      default:
        if (this.#state === "closed") return unavailable(record.name, REMOVED);
        if (this.#state === "needs_auth") return unavailable(record.name, SIGN_IN_NEEDED);
        return this.#backoff.isPausing ? unavailable(record.name, this.#failure?.message ?? null) : ACTIVE;
    }
  }

  /**
   * Starts the server where it is idle. Never rejects, never waits for a backoff. The request is sent a second time
   * only as the server's `retry` allows; `repeatable` says that doing it twice does no harm.
   */
  async request(request: ServerRequest, context: ToolContext, repeatable: boolean): Promise<ToolResult> {
    const call = new ConnectionCall(request, context, this.#queue);
    const entered = this.#queue.enter(context.caller.agentId, call.cancellation);
    const turn = entered instanceof Promise ? await entered : entered;
    if (!turn.ok) return { ...this.#unavailable(turn.error), isUnsent: true };
    const status = this.status();
    if (status.kind !== "active") {
      turn.value();
      return { kind: "unavailable", message: status.reason, isUnsent: true };
    }
    this.#use.begin();
    try {
      const result = await deliver(call, {
        retry: this.#definition.config.retry,
        isRepeatable: repeatable,
        connection: () => this.#connectionFor(call),
        refusal: () => this.#refusalOf(request),
        onEnd: this.#ended,
      });
      return result.kind === "unavailable" ? { ...result, ...this.#unavailable(result.message) } : result;
    } finally {
      if (this.own.open.size > 0) this.own.release(call, call.cancellation.aborted);
      turn.value();
      this.#endUse();
    }
  }

  #refusalOf(request: ServerRequest): string | undefined {
    const { pins } = this.#deps;
    const isAnyHeld = pins.keepingBack.has(this.#definition.record.id);
    return isAnyHeld ? pins.refusal(this.#definition, request) : undefined;
  }

  /** Lends the connection to `work`, which rejects with what failed over it; starts the server where it is idle. */
  async use<T>(signal: AbortSignal, work: (over: Connection) => Promise<T>): Promise<Result<T, string>> {
    const status = this.status();
    if (status.kind !== "active") return err(status.reason);
    this.#use.begin();
    try {
      const opened = await openUnlessAborted(() => this.connected(), signal);
      if (!opened.ok) return err(this.#unavailable(opened.error.message).message);
      return await work(opened.value).then(ok, (error) => err(this.#failedBeside(opened.value, error)));
    } finally {
      this.#endUse();
    }
  }

  /** The live connection, or the one being made, or a new one. Not for a server whose gate is closed. */
  connected(): Promise<Opened> {
    const { current } = this.#shared;
    return current ? Promise.resolve(ok(current)) : this.#connectOnce();
  }

  /** Resolves when what the server offers beside tools has been fetched, where it is connected. */
  async offersKnown(): Promise<void> {
    await this.#shared.upkeep?.offersKnown();
  }

  /** What those wait for who ask for offers while they are fetched for the first time. */
  offersPending(): Promise<void> | undefined {
    return this.#shared.upkeep?.offersPending;
  }

  /** Ends a connection that no call has needed lately. */
  async restUnlessUsed(): Promise<void> {
    if (!isKept(this.#definition) && !this.#use.wasWithin(this.#idleMs)) await this.disconnect();
  }

  /**
   * Takes over what counts from now on. Connections survive unless how the server is reached changed; then calls under
   * way end on those they have. A server that may not run any more is cut off.
   */
  async redefine(definition: Definition, reachChanged: boolean): Promise<void> {
    this.#definition = definition;
    this.#tools = this.#deps.toolsOf(this);
    const isOpen = definition.gate.kind === "open";
    if (reachChanged || !isOpen) this.#failure = failureIn(definition.record);
    if (!isOpen) await this.disconnect();
    else if (reachChanged) await this.renew();
    this.#restIfIdle();
    this.#become(this.#state);
  }

  /** Ends every connection with the calls on it, and an attempt under way; the next call starts anew. */
  disconnect(): Promise<void> {
    return this.#startOver(() => [this.#shared.close(), this.own.close()]);
  }

  /** The next call gets a new connection; those under way end on the ones they have, those that wait wait for it. */
  renew(): Promise<void> {
    return this.#startOver(() => [this.#shared.retire(), this.own.retire()]);
  }

  async #startOver(end: () => readonly Promise<void>[]): Promise<void> {
    this.#use.stopWaiting();
    this.#backoff.reset();
    this.#diedInUse = false;
    this.#life.abort();
    this.#life = new AbortController();
    await Promise.all([...end(), this.#connecting]);
    if (!this.#connecting && !this.#shared.current && this.#state !== "closed")
      this.#become(restingState(this.#definition, this.#failure));
  }

  /** For good: the server was removed, or Toolkeep stops. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.disconnect();
    this.#become("closed");
  }

  /** A call that could not be delivered says something about the connection too. */
  readonly #ended = (connection: Connection, end: CallEnd): void => {
    if (end.kind !== "lost" && end.kind !== "needs_auth") return;
    this.#drop(connection, this.#deps.redact(end.message), { needsAuth: end.kind === "needs_auth" });
  };

  /** So does what failed beside calls, such as fetching a list. */
  #failedBeside(connection: Connection, error: unknown): string {
    const end = connection.toCallEnd(error);
    this.#ended(connection, end);
    if (end.kind === "lost") void this.#retry();
    return "message" in end ? this.#deps.redact(end.message) : messageOf(error);
  }

  /**
   * A conversation that can answer gets a connection of its own where the server is known to ask, and one that wants
   * to hear what the server logs where it does.
   */
  #connectionFor(call: ConnectionCall): Opened | Promise<Opened> {
    const { answering, logLevel, onNotice } = call;
    const { asksBack, era } = this.#definition.record;
    const own = (isExclusive = false) => this.own.get(call, isExclusive);
    if (asksBack && answering && era?.era === "legacy") return own(answering.isExclusive);
    if (logLevel !== undefined && onNotice) {
      return this.connected().then((opened) => (opened.ok && opened.value.canLog ? own() : opened));
    }
    return this.#shared.current ? ok(this.#shared.current) : this.connected();
  }

  readonly #openOwn = async (answering: Answering | undefined): Promise<Opened> => {
    const shut = shutBecause(this.#definition, this.#isClosed);
    if (shut) return err(shut);
    const { signal } = this.#life;
    const opened = await this.#openFor(signal, answering);
    if (signal.aborted) return await this.#interrupted(opened);
    // Where nothing else works either, the next calls need not find out one by one.
    if (!opened.ok && (opened.error.needsAuth || !this.#shared.current)) {
      this.#failed(opened.error);
    }
    return opened;
  };

  #connectOnce(): Promise<Opened> {
    const shut = shutBecause(this.#definition, this.#isClosed);
    if (shut) return Promise.resolve(err(shut));
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<Opened> {
    const { signal } = this.#life;
    this.#backoff.end();
    this.#become("connecting");
    const opened = await this.#open(signal);
    if (signal.aborted) return await this.#interrupted(opened);
    if (opened.ok) this.#adopt(opened.value);
    else this.#failed(opened.error);
    return opened;
  }

  async #interrupted(opened: Opened): Promise<Opened> {
    if (opened.ok) await opened.value.close();
    return err(shutBecause(this.#definition, this.#isClosed) ?? INTERRUPTED);
  }

  async #open(signal: AbortSignal): Promise<Opened> {
    const opened = await this.#openFor(signal);
    if (!opened.ok || signal.aborted) return opened;
    try {
      await this.#learn(opened.value.initialTools, opened.value);
      return opened;
    } catch (error) {
      await opened.value.close();
      return err({ message: messageOf(error), needsAuth: false });
    }
  }

  async #openFor(signal: AbortSignal, answering?: Answering): Promise<Opened> {
    const { clock, connect } = this.#deps;
    const opened = await connect(this, planAttempt(this.#definition, clock(), signal, answering));
    if (!opened.ok) return err({ ...opened.error, message: this.#deps.redact(opened.error.message) });
    opened.value.onLogMessage((level, text) => this.log.message(level, text));
    return opened;
  }

  async #learn(list: ToolList, connection: Connection): Promise<void> {
    this.#recall(await this.#deps.learn(this, list, connection));
    this.retool();
  }

  /** Takes its tools anew, after what is kept back of them has changed. */
  retool(): void {
    this.#tools = this.#deps.toolsOf(this);
    this.#deps.onTools(this);
  }

  #recall(news: Partial<ServerRecord>): void {
    this.#definition = { ...this.#definition, record: { ...this.#definition.record, ...news } };
  }

  #adopt(connection: Connection): void {
    this.#backoff.reset();
    this.#diedInUse = false;
    this.#failure = null;
    void connection.closed.then((reason) =>
      this.#drop(connection, this.#deps.redact(reason), { needsAuth: false }),
    );
    connection.onInquiry((isAnswerable) => void this.#askedBack(connection, isAnswerable));
    this.#shared.adopt(connection, {
      learnTools: (list) => this.#learn(list, connection),
      learnOffers: (list) => this.#deps.learnOffers(this, list),
      onProblem: (message) => this.#deps.onProblem(this, message),
      onFailure: (error) => void this.#failedBeside(connection, error),
      offersWaitMs: this.#deps.offersWaitMs,
    });
    this.#become("ready");
    this.#restIfIdle();
  }

  /** The connection on which a server first asked somebody becomes that conversation's own; the others get a new one. */
  async #askedBack(connection: Connection, isAnswerable: boolean): Promise<void> {
    const { conversation } = connection;
    if (this.#shared.current === connection && conversation !== undefined && isAnswerable) {
      this.#shared.release();
      this.own.adopt(conversation, connection);
      this.#become("idle");
    }
    if (this.#definition.record.asksBack) return;
    try {
      this.#recall(await this.#deps.learnAsksBack(this));
    } catch (error) {
      this.#deps.onProblem(this, `that it asks back was not stored: ${messageOf(error)}`);
    }
  }

  /** The connection failed: no new calls go there, those under way may still end well. */
  #drop(connection: Connection, reason: string, { needsAuth }: { needsAuth: boolean }): void {
    const isOwn = this.own.drop(connection);
    const isShared = this.#shared.current === connection;
    void this.#shared.retire(connection);
    if (!isShared && (!isOwn || !needsAuth)) return;
    this.#diedInUse = !needsAuth;
    this.#failed({ message: reason, needsAuth });
  }

  /**
   * Calls are refused until a person has signed in, or for a while; a server that died in use is then reconnected
   * without being asked.
   */
  #failed({ message, needsAuth }: ConnectFailure): void {
    if (needsAuth) void this.#shared.retire();
    this.#failure = { message, at: this.#deps.clock() };
    this.#use.stopWaiting();
    if (!needsAuth) this.#backoff.pause(() => void this.#retry());
    this.#become(needsAuth ? "needs_auth" : "unavailable", message);
  }

  async #retry(): Promise<void> {
    const inUse = isKept(this.#definition) || this.#use.wasWithin(this.#idleMs);
    if (this.#diedInUse && inUse) await this.#connectOnce();
    else this.#become(this.#state);
  }

  get #idleMs(): number {
    return this.#deps.idleMs ?? this.#deps.live.settings.mcp.idleMs;
  }

  #endUse(): void {
    this.#use.end();
    if (this.own.open.size > 0) this.own.scheduleIdleClose();
    this.#restIfIdle();
  }

  /** Without calls for `idleMs` the connection ends; the next call starts it again. */
  #restIfIdle(): void {
    this.#use.stopWaiting();
    if (!this.#shared.current || isKept(this.#definition)) return;
    this.#use.whenIdle(this.#idleMs, () => void this.disconnect());
  }

  #unavailable(reason: string): ToolResult & { kind: "unavailable" } {
    const { name } = this.#definition.record;
    return { kind: "unavailable", message: unavailable(name, this.#deps.redact(reason)).reason };
  }

  #become(state: ServerState, detail?: string): void {
    const changed = state !== this.#state || detail !== undefined;
    this.#state = state;
    if (changed) {
      this.log.state(state, detail);
      this.#deps.onState(this, detail);
    }
    const usable = this.status().kind === "active";
    if (usable !== this.#usable) {
      this.#usable = usable;
      this.#deps.onTools(this);
    }
  }
}

/** The failure that the store keeps, so that a restart does not make a broken server look idle. */
function failureIn({ lastError, failedAt }: ServerRecord): Failure | null {
  return lastError === null ? null : { message: lastError, at: failedAt };
}

/** The state of a server that nobody uses. One whose last start failed is not idle: people must see that it is broken. */
function restingState({ gate }: Definition, failure: Failure | null): ServerState {
  if (gate.kind === "open") return failure === null ? "idle" : "unavailable";
  return gate.kind === "broken" ? "unavailable" : gate.kind;
}

/** Why nothing may be started now, whoever asks: a call that waited may ask after the server was taken away. */
function shutBecause({ gate }: Definition, isClosed: boolean): ConnectFailure | undefined {
  if (isClosed) return { message: REMOVED, needsAuth: false };
  return gate.kind === "open" ? undefined : { message: gate.reason, needsAuth: false };
}

/** Never stopped for want of calls. */
function isKept({ config: { connect, keepAlive } }: Definition): boolean {
  return keepAlive || connect === "eager";
}

/** How every answer begins that a server cannot give. */
function unavailable(name: string, reason: string | null): { kind: "unavailable"; reason: string } {
  const why = reason === null ? "" : `: ${reason}`;
  return { kind: "unavailable", reason: `mcp server ${name} is unavailable${why}` };
}
