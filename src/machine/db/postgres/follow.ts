import { setTimeout as delay } from "node:timers/promises";
import type { Following, StoreFollower } from "../sharing.ts";
import { CHANNEL, readAnnouncement } from "./announce.ts";
import { Reloads } from "./reloads.ts";
import type { PostgresSession, SessionConnection } from "./session.ts";

/** How often the revision is read while changes cannot be heard of. */
const POLL_MS = 1_000;
/** How often it is read while they can: only to be sure. */
const CHECK_MS = 10_000;

export interface FollowDeps {
  readonly session: Pick<PostgresSession, "connection" | "problem">;
  /** Tells what this process announced from what others did. */
  readonly self: string;
  /** Through the pool, for as long as the session has no connection. */
  readonly readRevision: () => Promise<number>;
}

/**
 * Hears of changes as they happen, and looks for them every second while that is not possible. Notifications say what
 * changed, the revision says whether all of them came: they arrive in its order, so a number left out is a change that
 * was missed, and everything is read again.
 */
export class ChangeFollower implements Following {
  readonly listening: Promise<void>;
  readonly #follower: StoreFollower;
  readonly #deps: FollowDeps;
  readonly #reloads: Reloads;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #onListening = () => {};
  /** Ends the pause of now. */
  #waiting = new AbortController();
  #seen: number;
  /** Something was heard on this connection, if only by oneself. */
  #hears = false;
  #isTroubled = false;

  constructor(since: number, follower: StoreFollower, deps: FollowDeps) {
    this.#seen = since;
    this.#follower = follower;
    this.#deps = deps;
    this.#reloads = new Reloads(
      (kinds, about) => follower.reload(kinds, about),
      (cause) => this.#trouble(cause),
    );
    this.listening = new Promise((resolve) => {
      this.#onListening = resolve;
    });
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#waiting.abort();
    await this.#running;
    await this.#reloads.close();
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const connection = await this.#pollUntilConnected();
      if (connection === undefined) return;
      await this.#listen(connection);
    }
  }

  /** Undefined when following ends. */
  async #pollUntilConnected(): Promise<SessionConnection | undefined> {
    let connection: SessionConnection | undefined;
    let isOver = false;
    const connecting = this.#deps.session
      .connection(this.#stop.signal)
      .then((opened) => {
        connection = opened;
      })
      .catch(() => {})
      .finally(() => {
        isOver = true;
        this.#waiting.abort();
      });
    while (!isOver) {
      await this.#pause(POLL_MS);
      if (isOver) break;
      // Without a problem the first attempt is still running.
      const { problem } = this.#deps.session;
      if (problem !== undefined) this.#trouble(problem);
      await this.#deps.readRevision().then(
        (revision) => this.#catchUp(revision),
        (error) => this.#trouble(error),
      );
    }
    await connecting;
    return connection;
  }

  async #listen(connection: SessionConnection): Promise<void> {
    this.#hears = false;
    const wake = () => this.#waiting.abort();
    connection.lost.addEventListener("abort", wake, { once: true });
    connection.onNotification((payload) => this.#hear(payload));
    try {
      const [row] = await connection.query<{ channel: string }>(`select ${CHANNEL} as channel`);
      await connection.query(`listen ${row!.channel}`);
      // A pooler between us and the server may hold back notifications; then this one does not arrive either.
      await connection.query(`select pg_notify(${CHANNEL}, $1)`, [JSON.stringify({ by: this.#deps.self })]);
      while (!connection.lost.aborted && !this.#stop.signal.aborted) {
        const [now] = await connection.query<{ value: string }>("select value from revision");
        this.#catchUp(Number(now!.value));
        this.#recover();
        this.#onListening();
        await this.#pause(this.#hears ? CHECK_MS : POLL_MS, connection.lost);
      }
    } catch (error) {
      this.#trouble(error);
      connection.destroy();
    }
    if (connection.lost.aborted) this.#trouble(connection.lost.reason);
  }

  #hear(payload: string): void {
    const announced = readAnnouncement(payload);
    if (announced === undefined || this.#stop.signal.aborted) return;
    this.#hears = true;
    const { by, kind, about, revision, question } = announced;
    const isOwn = by === this.#deps.self;
    if (question !== null && !isOwn) this.#follower.question(question);
    if (revision === null || revision <= this.#seen) return;
    if (revision > this.#seen + 1) this.#reloads.add("everything");
    else if (!isOwn) this.#reloads.add(kind, about);
    this.#seen = revision;
  }

  #catchUp(revision: number): void {
    // Less than before: the database was put back to an earlier state.
    if (revision !== this.#seen) this.#reloads.add("everything");
    this.#seen = revision;
  }

  #trouble(cause: unknown): void {
    if (this.#isTroubled || this.#stop.signal.aborted) return;
    this.#isTroubled = true;
    this.#follower.onProblem(cause);
  }

  #recover(): void {
    if (!this.#isTroubled) return;
    this.#isTroubled = false;
    this.#follower.onRecovered?.();
  }

  async #pause(ms: number, unless?: AbortSignal): Promise<void> {
    this.#waiting = new AbortController();
    if (this.#stop.signal.aborted || unless?.aborted) return;
    await delay(ms, undefined, { signal: this.#waiting.signal, ref: false }).catch(() => {});
  }
}
