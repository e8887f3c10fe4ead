import { err, ok, type Result } from "../lib/result.ts";
import type { ConnectFailure } from "./connect.ts";
import type { Connection } from "./connection.ts";

type Opened = Result<Connection, ConnectFailure>;

/** More conversations than this do not talk to one server at the same time. */
const MAX_CONNECTIONS = 16;

interface Own {
  readonly opening: Promise<Opened>;
  connection: Connection | undefined;
  timer: NodeJS.Timeout | undefined;
  usedAt: number;
}

/**
 * Connections that belong to one conversation each, for servers that ask back: what comes over one can only be
 * meant for its conversation.
 */
export class OwnConnections {
  readonly #byConversation = new Map<string, Own>();
  readonly #idleMs: () => number;
  #uses = 0;

  constructor(idleMs: () => number) {
    this.#idleMs = idleMs;
  }

  /** The connection of this conversation, opened if there is none. `open` never rejects. */
  async get(conversation: string, open: () => Promise<Opened>): Promise<Opened> {
    const known = this.#byConversation.get(conversation);
    if (known) return this.#used(known).opening;
    if (!this.#makeRoom()) {
      const message = `${MAX_CONNECTIONS} conversations use it already, each with a connection of its own`;
      return err({ message, needsAuth: false });
    }
    const own: Own = { opening: open(), connection: undefined, timer: undefined, usedAt: 0 };
    this.#byConversation.set(conversation, this.#used(own));
    const opened = await own.opening;
    if (opened.ok) this.#keep(conversation, own, opened.value);
    else if (this.#byConversation.get(conversation) === own) this.#byConversation.delete(conversation);
    return opened;
  }

  /** Takes over a connection that has served no other conversation so far. */
  adopt(conversation: string, connection: Connection): void {
    void this.#byConversation.get(conversation)?.connection?.retire();
    const own: Own = {
      opening: Promise.resolve(ok(connection)),
      connection,
      timer: undefined,
      usedAt: 0,
    };
    this.#byConversation.set(conversation, this.#used(own));
    this.#keep(conversation, own, connection);
  }

  /** Connections without a call under way are closed unless they get one in time. */
  rest(): void {
    for (const own of this.#byConversation.values()) {
      if (own.timer !== undefined || own.connection?.openCalls !== 0) continue;
      own.timer = setTimeout(() => void own.connection?.retire(), this.#idleMs());
      own.timer.unref();
    }
  }

  /** Forgets a connection that failed; closing it is the caller's. False where it is none of these. */
  drop(connection: Connection): boolean {
    for (const [conversation, own] of this.#byConversation) {
      if (own.connection === connection) return this.#byConversation.delete(conversation);
    }
    return false;
  }

  async close(): Promise<void> {
    const all = [...this.#byConversation.values()];
    this.#byConversation.clear();
    await Promise.all(
      all.map(async (own) => {
        clearTimeout(own.timer);
        const opened = await own.opening;
        if (opened.ok) await opened.value.close();
      }),
    );
  }

  #used(own: Own): Own {
    clearTimeout(own.timer);
    own.timer = undefined;
    own.usedAt = ++this.#uses;
    return own;
  }

  #keep(conversation: string, own: Own, connection: Connection): void {
    own.connection = connection;
    void connection.closed.then(() => {
      clearTimeout(own.timer);
      if (this.#byConversation.get(conversation) === own) this.#byConversation.delete(conversation);
    });
  }

  /** The one that has rested longest makes way. */
  #makeRoom(): boolean {
    if (this.#byConversation.size < MAX_CONNECTIONS) return true;
    const resting = [...this.#byConversation].filter(([, own]) => own.connection?.openCalls === 0);
    const [oldest] = resting.sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (!oldest) return false;
    const [conversation, own] = oldest;
    this.#byConversation.delete(conversation);
    void own.connection?.close();
    return true;
  }
}
