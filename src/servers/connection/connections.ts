import type { Caller } from "../../contract/caller.ts";
import type { Answering } from "../../contract/tool.ts";
import { ok } from "../../lib/result.ts";
import { ListUpkeep, type UpkeepDeps } from "../lists/list-upkeep.ts";
import type { OpenResult } from "./call.ts";
import type { Connection } from "./connection.ts";
import { type AskableCall, conversationKey } from "./inquiries.ts";

/**
 * The connection that all calls of a server share, and former ones that still have calls under way: a call ends on
 * the connection it was sent over, whatever happens to the server meanwhile.
 */
export class SharedConnection {
  /** Assigned only by this class. */
  current: Connection | undefined;
  readonly #former = new Set<Connection>();
  #upkeep: ListUpkeep | undefined;

  /** Keeps the lists of the current connection up to date. */
  get upkeep(): ListUpkeep | undefined {
    return this.#upkeep;
  }

  adopt(connection: Connection, deps: UpkeepDeps): void {
    this.current = connection;
    this.#upkeep = new ListUpkeep(connection, deps);
  }

  /** Gives up ownership: the caller decides what happens to the connection. */
  release(): Connection | undefined {
    const connection = this.current;
    this.current = undefined;
    this.#upkeep?.close();
    this.#upkeep = undefined;
    return connection;
  }

  /**
   * Takes no new calls for `connection`, which need not have been shared. It closes once its calls have ended;
   * resolves without waiting for them.
   */
  async retire(connection: Connection | undefined = this.current): Promise<void> {
    if (!connection) return;
    if (connection === this.current) this.release();
    this.#former.add(connection);
    void connection.closed.then(() => this.#former.delete(connection));
    await connection.retire();
  }

  /** Closes the current and all former connections and ends the calls on them. */
  async close(): Promise<void> {
    const all = [this.release(), ...this.#former];
    await Promise.all(all.map((connection) => connection?.close()));
  }
}

/** A call that uses a connection or waits for one. */
type ConnectionUse = Pick<AskableCall, "caller" | "answering">;

export interface OwnConnectionsDeps {
  /** How long a connection may stay idle. */
  readonly idleMs: () => number;
  /** Opens a new connection; never rejects. */
  readonly open: (answering: Answering | undefined) => Promise<OpenResult<Connection>>;
  /** The shared connection: the fallback for an exclusive call without room, which is asked there only while alone. */
  readonly shared: () => Promise<OpenResult<Connection>>;
  /** Closes a connection once its calls have ended; resolves without waiting for them. */
  readonly retire: (connection: Connection) => Promise<void>;
}

/** The most own connections of one server. */
const MAX_CONNECTIONS = 16;
/** The most exclusive connections of one agent, so that it cannot shut out the others. */
const MAX_EXCLUSIVE_PER_AGENT = 6;

interface OwnConnection {
  readonly conversation: string;
  readonly opening: Promise<OpenResult<Connection>>;
  /** Maps each call to whether it has the connection exclusively. */
  readonly uses: Map<ConnectionUse, boolean>;
  connection: Connection | undefined;
  timer: NodeJS.Timeout | undefined;
  usedAt: number;
}

/**
 * Connections that belong to one conversation each, for servers that ask back: an inquiry on one can only be meant for
 * its conversation. An exclusive call has a connection to itself while it is under way.
 */
export class OwnConnections {
  readonly #all = new Set<OwnConnection>();
  /** Lets every call check cheaply whether there are any; most servers have none. */
  readonly all: ReadonlySet<unknown> = this.#all;
  readonly #deps: OwnConnectionsDeps;
  #uses = 0;

  constructor(deps: OwnConnectionsDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the connection for a call and opens one if none fits. The call holds it until `release`; an exclusive
   * call shares it with nobody.
   */
  async get(use: ConnectionUse, isExclusive: boolean): Promise<OpenResult<Connection>> {
    this.release(use);
    const conversation = connectionKey(use);
    const known = this.#findMostRecent(conversation, isExclusive);
    if (known) return this.#markUsed(known, use, isExclusive).opening;
    // The shared connection is the fallback; there the caller is asked only if the inquiry is certainly its own.
    const hasMany = isExclusive && this.#countExclusive(use.caller.agentId) >= MAX_EXCLUSIVE_PER_AGENT;
    if (hasMany || !this.#makeRoom()) return this.#deps.shared();
    const own = createOwn(conversation, this.#deps.open(use.answering));
    this.#all.add(this.#markUsed(own, use, isExclusive));
    const opened = await own.opening;
    if (!opened.ok) this.#all.delete(own);
    else if (this.#all.has(own)) this.#attach(own, opened.value);
    return opened;
  }

  /** Ends a call's use. An abandoned call may still run and ask back, so its exclusive connection is retired. */
  release(use: ConnectionUse, isGivenUp = false): void {
    for (const own of this.#all) {
      const isExclusive = own.uses.get(use);
      own.uses.delete(use);
      if (isGivenUp && isExclusive) void this.#retire(own);
    }
  }

  /** Takes over a connection that has served only this conversation. */
  adopt(conversation: string, connection: Connection): void {
    this.#makeRoom();
    const own = createOwn(conversation, Promise.resolve(ok(connection)));
    own.usedAt = ++this.#uses;
    this.#all.add(own);
    this.#attach(own, connection);
  }

  /** Starts the idle timer of every connection without a call. */
  scheduleIdleClose(): void {
    for (const own of this.#all) {
      if (own.timer !== undefined || !own.connection || !isIdle(own)) continue;
      own.timer = setTimeout(() => void own.connection?.retire(), this.#deps.idleMs());
      own.timer.unref();
    }
  }

  /** Tells the server that this conversation's roots changed, if it may ask for them. */
  notifyRootsChanged(caller: Caller): void {
    const conversation = keyWithRoots(caller);
    for (const own of this.#all) if (own.conversation === conversation) own.connection?.notifyRootsChanged();
  }

  /** Forgets a failed connection without closing it. Returns false if it is not one of these. */
  drop(connection: Connection): boolean {
    for (const own of this.#all) if (own.connection === connection) return this.#all.delete(own);
    return false;
  }

  /** Takes no new calls; each connection closes once its calls have ended. */
  async retire(): Promise<void> {
    await Promise.all([...this.#all].map((own) => this.#retire(own)));
  }

  async close(): Promise<void> {
    const all = [...this.#all];
    this.#all.clear();
    await Promise.all(
      all.map(async (own) => {
        clearTimeout(own.timer);
        const opened = await own.opening;
        if (opened.ok) await opened.value.close();
      }),
    );
  }

  #countExclusive(agentId: string): number {
    const uses = [...this.#all].flatMap((own) => [...own.uses]);
    return uses.filter(([use, isExclusive]) => isExclusive && use.caller.agentId === agentId).length;
  }

  /** Prefers the connection used last, so that the others stay idle and get closed. */
  #findMostRecent(conversation: string, isExclusive: boolean): OwnConnection | undefined {
    const candidates = [...this.#all].filter(
      (own) => own.conversation === conversation && (isExclusive ? isIdle(own) : isShared(own)),
    );
    return candidates.sort((a, b) => b.usedAt - a.usedAt)[0];
  }

  #markUsed(own: OwnConnection, use: ConnectionUse, isExclusive: boolean): OwnConnection {
    clearTimeout(own.timer);
    own.timer = undefined;
    own.usedAt = ++this.#uses;
    own.uses.set(use, isExclusive);
    return own;
  }

  #attach(own: OwnConnection, connection: Connection): void {
    own.connection = connection;
    void connection.closed.then(() => {
      clearTimeout(own.timer);
      this.#all.delete(own);
    });
  }

  async #retire(own: OwnConnection): Promise<void> {
    clearTimeout(own.timer);
    this.#all.delete(own);
    const opened = await own.opening;
    if (opened.ok) await this.#deps.retire(opened.value);
  }

  /** Closes the connection that has been idle longest if the limit is reached. */
  #makeRoom(): boolean {
    if (this.#all.size < MAX_CONNECTIONS) return true;
    const idle = [...this.#all].filter((own) => own.connection && isIdle(own));
    const [oldest] = idle.sort((a, b) => a.usedAt - b.usedAt);
    if (!oldest) return false;
    this.#all.delete(oldest);
    void oldest.connection?.close();
    return true;
  }
}

/** A server may ask for roots only on connections of callers that have some, so those get their own key. */
function connectionKey({ caller, answering }: ConnectionUse): string {
  return answering?.capabilities.roots === undefined ? conversationKey(caller) : keyWithRoots(caller);
}

function keyWithRoots(caller: Caller): string {
  return `${conversationKey(caller)} with roots`;
}

function createOwn(conversation: string, opening: Promise<OpenResult<Connection>>): OwnConnection {
  return { conversation, opening, uses: new Map(), connection: undefined, timer: undefined, usedAt: 0 };
}

function isIdle({ uses, connection }: OwnConnection): boolean {
  return uses.size === 0 && (connection?.openCalls ?? 0) === 0;
}

function isShared({ uses }: OwnConnection): boolean {
  return ![...uses.values()].includes(true);
}
