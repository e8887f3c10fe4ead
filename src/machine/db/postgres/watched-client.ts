import pg from "pg";

/** How much longer than its own limit the server has to say that it gave a statement up. */
const GRACE_MS = 5_000;
const OWN_LIMIT = /^set local statement_timeout = (\d+)$/;
const OVER = /^(commit|rollback)$/;

/**
 * A connection on which no statement waits for ever. The server ends what takes too long, but where the network is gone without
 * a word nobody hears of it, and whoever waits would wait as long as TCP does. Such a connection is given up: its
 * statement fails, and the pool makes another. A transaction that sets a limit of its own has that.
 */
export function watchedClient(statementMs: number, graceMs = GRACE_MS): typeof pg.Client {
  return class WatchedClient extends pg.Client {
    #limitMs = statementMs;
    #timer: NodeJS.Timeout | undefined;

    constructor(config?: string | pg.ClientConfig) {
      super(config);
      const answered = () => clearTimeout(this.#timer);
      // Once nothing is left to be answered.
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
