import pg from "pg";

/** How much longer than its own limit the server has to say that it gave a statement up. */
const GRACE_MS = 5_000;
const OWN_LIMIT = /^set local statement_timeout = (\d+)$/;
const OVER = /^(commit|rollback)$/;

/**
 * A connection on which no statement waits for ever. The server ends statements that take too long, but if the network
 * disappears silently, the client would wait as long as TCP does. Such a connection is given up: its statement fails,
 * and the pool opens another one. A transaction with its own limit keeps that limit.
 */
export function watchedClient(statementMs: number, graceMs = GRACE_MS): typeof pg.Client {
  return class WatchedClient extends pg.Client {
    #limitMs = statementMs;
    #timer: NodeJS.Timeout | undefined;

    constructor(config?: string | pg.ClientConfig) {
      super(config);
      const answered = () => clearTimeout(this.#timer);
      // No statement is waiting for an answer any more.
      this.on("drain", answered);
      this.on("end", answered);
    }

    // biome-ignore lint/suspicious/noExplicitAny: it has seven signatures, all of which are passed on
    override query(...args: any[]): any {
      const text = typeof args[0] === "string" ? args[0] : "";
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#giveUp(), this.#limitMs + graceMs);
      if (OVER.test(text)) this.#limitMs = statementMs;
      const own = OWN_LIMIT.exec(text)?.[1];
      if (own !== undefined) this.#limitMs = Number(own);
      // biome-ignore lint/suspicious/noExplicitAny: see above
      return (super.query as any)(...args);
    }

    #giveUp(): void {
      const { stream } = (this as unknown as { connection: { stream: { destroy(error: Error): void } } })
        .connection;
      stream.destroy(new Error(`connection terminated: no answer within ${this.#limitMs + graceMs} ms`));
    }
  };
}
