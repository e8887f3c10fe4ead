import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { createSerial } from "../../../lib/flow/serial.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const TIMES: SessionTimes = { pingMs: 5_000, answerMs: 5_000 };
const PAUSES_MS = [250, 500, 1_000, 2_000, 5_000];
/**
 * The server, too, notices that this side is gone without a word (its machine lost power), and gives its locks to
 * others: later than this side notices, so that there are never two who believe that they hold one.
 */
const SERVER_NOTICES = `
  set tcp_keepalives_idle = 15;
  set tcp_keepalives_interval = 5;
  set tcp_keepalives_count = 3;
`;

export interface SessionTimes {
  /** How often a connection has to prove that it lives. */
  readonly pingMs: number;
  /** How long an answer may take before the connection counts as lost. */
  readonly answerMs: number;
}

/** One connection, from its start to its loss. */
export interface SessionConnection {
  /** Aborted when the connection is gone. */
  readonly lost: AbortSignal;
  /** Runs one query at a time. Rejects if the connection is lost, and gives it up if no answer comes. */
  query<R extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<R[]>;
  onNotification(listener: (payload: string) => void): void;
  /** Gives the connection up; the session makes another. */
  destroy(): void;
}

/**
 * A permanent connection besides the pool. Its listeners and locks last as long as the connection. It is opened on
 * first use, and reopened after growing pauses whenever it is lost.
 */
export class PostgresSession {
  readonly #url: string;
  readonly #times: SessionTimes;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #connection: SessionConnection | undefined;
  readonly #waiting = new Set<() => void>();
  #problem: unknown;

  constructor(url: string, times = TIMES) {
    this.#url = url;
    this.#times = times;
  }

  /** Why there is no connection now. */
  get problem(): unknown {
    return this.#problem;
  }

  /** The connection there is, or the next one. Rejects with the reason of `signal`, or when the session is closed. */
  async connection(signal: AbortSignal): Promise<SessionConnection> {
    this.#running ??= this.#run();
    while (this.#connection === undefined || this.#connection.lost.aborted) {
      signal.throwIfAborted();
      this.#stop.signal.throwIfAborted();
      await this.#change(signal);
    }
    return this.#connection;
  }

  /** Never waits for the server. */
  async close(): Promise<void> {
    this.#stop.abort(new Error("the store was closed"));
    this.#connection?.destroy();
    await this.#running;
    this.#tell();
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { signal } = this.#stop;
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        const connection = await connect(this.#url, this.#times.answerMs, signal);
        attempt = 0;
        this.#connection = connection;
        this.#tell();
        await untilLost(connection, this.#times.pingMs);
        this.#problem = connection.lost.reason;
      } catch (error) {
        this.#problem = error;
      }
      this.#connection = undefined;
      const pauseMs = PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)];
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener("abort", done);
    });
  }

  #tell(): void {
    for (const done of this.#waiting) done();
  }
}

async function connect(url: string, answerMs: number, signal: AbortSignal): Promise<SessionConnection> {
  // Ours, so that it can be ended at any moment, also before the server has answered.
  const socket = new Socket();
  const client = new pg.Client({
    connectionString: url,
    application_name: "toolkeep",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    stream: () => socket,
  });
  const lost = new AbortController();
  client.on("error", (error) => lost.abort(error));
  client.on("end", () => lost.abort(new Error("the connection ended")));
  const destroy = () => void socket.destroy();
  signal.addEventListener("abort", destroy);
  try {
    signal.throwIfAborted();
    await client.connect();
    // If a server or proxy does not support these, everything else still works.
    await client.query(SERVER_NOTICES).catch(() => {});
  } catch (error) {
    destroy();
    throw error;
  } finally {
    signal.removeEventListener("abort", destroy);
  }
  return connectionOver(client, answerMs, lost.signal, destroy);
}

function connectionOver(
  client: pg.Client,
  answerMs: number,
  lost: AbortSignal,
  destroy: () => void,
): SessionConnection {
  const serial = createSerial();
  return {
    lost,
    destroy,
    query: (text, values = []) =>
      serial("", async () => {
        const timer = setTimeout(destroy, answerMs);
        try {
          return (await client.query(text, [...values])).rows;
        } finally {
          clearTimeout(timer);
        }
      }),
    onNotification: (listener) => {
      client.on("notification", ({ payload }) => listener(payload ?? ""));
    },
  };
}

/** A connection may be dead without either side having been told: only an answer proves that it is not. */
async function untilLost({ lost, query }: SessionConnection, pingMs: number): Promise<void> {
  while (!lost.aborted) {
    await delay(pingMs, undefined, { signal: lost, ref: false }).catch(() => {});
    if (!lost.aborted) await query("select 1").catch(() => {});
  }
}
