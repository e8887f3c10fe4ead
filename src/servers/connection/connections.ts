import type { Caller } from "../../contract/caller.ts";
import type { Answering } from "../../contract/tool.ts";
import { ok } from "../../lib/result.ts";
import { ListUpkeep, type UpkeepDeps } from "../lists/list-upkeep.ts";
import type { Opened } from "./call.ts";
import type { Connection } from "./connection.ts";
import { conversationOf, type InquiredCall } from "./inquiries.ts";

/**
 * The connection that all calls of a server share, and former ones on which calls are still under way: a call ends on
 * the connection it was sent over, whatever happens to the server meanwhile.
 */
export class SharedConnection {
  /** Set here alone. */
  current: Connection | undefined;
  readonly #former = new Set<Connection>();
  #upkeep: ListUpkeep | undefined;

  /** Of the current connection's lists. */
  get upkeep(): ListUpkeep | undefined {
    return this.#upkeep;
  }

  adopt(connection: Connection, deps: UpkeepDeps): void {
    this.current = connection;
    this.#upkeep = new ListUpkeep(connection, deps);
  }

  /** Gives the connection away: what becomes of it is the caller's. */
  release(): Connection | undefined {
    const connection = this.current;
    this.current = undefined;
    this.#upkeep?.close();
    this.#upkeep = undefined;
    return connection;
  }

  /**
   * No new calls go over `connection`, which may also be one that was never shared. It closes once those under way have
   * ended; resolves at once where there are some.
   */
  async retire(connection: Connection | undefined = this.current): Promise<void> {
    if (!connection) return;
    if (connection === this.current) this.release();
    this.#former.add(connection);
    void connection.closed.then(() => this.#former.delete(connection));
    await connection.retire();
  }

  /** Ends the connection and the former ones, with the calls on them. */
  async close(): Promise<void> {
    const all = [this.release(), ...this.#former];
    await Promise.all(all.map((connection) => connection?.close()));
  }
}

/** A call that has a connection, or waits for it. */
type Use = Pick<InquiredCall, "caller" | "answering">;

export interface OwnConnectionsDeps {
  /** How long one may rest. */
  readonly idleMs: () => number;
  /** Opens a new one; never rejects. */
  readonly open: (answering: Answering | undefined) => Promise<Opened<Connection>>;
  /** The one of all: an exclusive call takes it where there is no room, and is asked there only while it is alone. */
  readonly shared: () => Promise<Opened<Connection>>;
  /** Closes one once its calls have ended; resolves at once where there are some. */
  readonly retire: (connection: Connection) => Promise<void>;
}

/** More connections than this one server does not have. */
const MAX_CONNECTIONS = 16;
/** So many of them wait for the answers of one agent at most: it must not shut the others out. */
const MAX_EXCLUSIVE_PER_AGENT = 6;

interface Own {
  readonly conversation: string;
  readonly opening: Promise<Opened<Connection>>;
  /** With whether the call has it alone. */
  readonly uses: Map<Use, boolean>;
  connection: Connection | undefined;
  timer: NodeJS.Timeout | undefined;
  usedAt: number;
}

/**
 * Connections that belong to one conversation each, for servers that ask back: what comes over one can only be
 * meant for its conversation. A call that stands for itself has one alone, for as long as it is under way.
 */
export class OwnConnections {
  readonly #all = new Set<Own>();
  /** Those that are there: most servers have none, and every call ends by looking. */
  readonly open: ReadonlySet<unknown> = this.#all;
  readonly #deps: OwnConnectionsDeps;
  #uses = 0;

  constructor(deps: OwnConnectionsDeps) {
    this.#deps = deps;
  }

  /**
   * The connection for a call, opened if there is none that it may have; in use until `release`. While an exclusive
   * call has it, nobody else does.
   */
  async get(use: Use, isExclusive: boolean): Promise<Opened<Connection>> {
    this.release(use);
    const conversation = keyOf(use);
    const known = this.#mostRecent(conversation, isExclusive);
    if (known) return this.#used(known, use, isExclusive).opening;
    // Who gets none of its own takes the one of all, and is asked there only while that is certain.
    const hasMany = isExclusive && this.#exclusiveOf(use.caller.agentId) >= MAX_EXCLUSIVE_PER_AGENT;
    if (hasMany || !this.#makeRoom()) return this.#deps.shared();
    const own = newOwn(conversation, this.#deps.open(use.answering));
    this.#all.add(this.#used(own, use, isExclusive));
    const opened = await own.opening;
    if (!opened.ok) this.#all.delete(own);
    else if (this.#all.has(own)) this.#keep(own, opened.value);
    return opened;
  }

  /** The call is over. One that was given up may still be worked on and ask, so nobody else gets its connection. */
  release(use: Use, isGivenUp = false): void {
    for (const own of this.#all) {
      const isExclusive = own.uses.get(use);
      own.uses.delete(use);
      if (isGivenUp && isExclusive) void this.#retire(own);
    }
  }

  /** Takes over a connection that has served no other conversation so far. */
  adopt(conversation: string, connection: Connection): void {
    this.#makeRoom();
    const own = newOwn(conversation, Promise.resolve(ok(connection)));
    own.usedAt = ++this.#uses;
    this.#all.add(own);
    this.#keep(own, connection);
  }

  /** Connections without a call under way are closed unless they get one in time. */
  rest(): void {
    for (const own of this.#all) {
      if (own.timer !== undefined || !own.connection || !isResting(own)) continue;
      own.timer = setTimeout(() => void own.connection?.retire(), this.#deps.idleMs());
      own.timer.unref();
    }
  }

  /** Tells the server, where it may ask this conversation for roots, that they are others by now. */
  rootsChanged(caller: Caller): void {
    const conversation = withRoots(caller);
    for (const own of this.#all) if (own.conversation === conversation) own.connection?.rootsChanged();
  }

  /** Forgets a connection that failed; closing it is the caller's. False where it is none of these. */
  drop(connection: Connection): boolean {
    for (const own of this.#all) if (own.connection === connection) return this.#all.delete(own);
    return false;
  }

  /** No new calls get any of these; each closes once its calls have ended. */
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

  #exclusiveOf(agentId: string): number {
    const uses = [...this.#all].flatMap((own) => [...own.uses]);
    return uses.filter(([use, isExclusive]) => isExclusive && use.caller.agentId === agentId).length;
  }

  /** Of those that a call may have, the one that was used last: the others rest until they are closed. */
  #mostRecent(conversation: string, isExclusive: boolean): Own | undefined {
    const fitting = [...this.#all].filter(
      (own) => own.conversation === conversation && (isExclusive ? isResting(own) : isShared(own)),
    );
    return fitting.sort((a, b) => b.usedAt - a.usedAt)[0];
  }

  #used(own: Own, use: Use, isExclusive: boolean): Own {
    clearTimeout(own.timer);
    own.timer = undefined;
    own.usedAt = ++this.#uses;
    own.uses.set(use, isExclusive);
    return own;
  }

  #keep(own: Own, connection: Connection): void {
    own.connection = connection;
    void connection.closed.then(() => {
      clearTimeout(own.timer);
      this.#all.delete(own);
    });
  }

  async #retire(own: Own): Promise<void> {
    clearTimeout(own.timer);
    this.#all.delete(own);
    const opened = await own.opening;
    if (opened.ok) await this.#deps.retire(opened.value);
  }

  /** The one that has rested longest makes way. */
  #makeRoom(): boolean {
    if (this.#all.size < MAX_CONNECTIONS) return true;
    const resting = [...this.#all].filter((own) => own.connection && isResting(own));
    const [oldest] = resting.sort((a, b) => a.usedAt - b.usedAt);
    if (!oldest) return false;
    this.#all.delete(oldest);
    void oldest.connection?.close();
    return true;
  }
}

/** A connection whose server may ask for roots is for those calls only that can give them. */
function keyOf({ caller, answering }: Use): string {
  return answering?.capabilities.roots === undefined ? conversationOf(caller) : withRoots(caller);
}

function withRoots(caller: Caller): string {
  return `${conversationOf(caller)} with roots`;
}

function newOwn(conversation: string, opening: Promise<Opened<Connection>>): Own {
  return { conversation, opening, uses: new Map(), connection: undefined, timer: undefined, usedAt: 0 };
}

function isResting({ uses, connection }: Own): boolean {
  return uses.size === 0 && (connection?.openCalls ?? 0) === 0;
}

function isShared({ uses }: Own): boolean {
  return ![...uses.values()].includes(true);
}
