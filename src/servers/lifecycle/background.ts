import type { Gate } from "./definition.ts";

/** How many servers are connected to at once to learn their tools. */
const CONNECTIONS = 4;

/** What of a server is needed to learn what it offers. */
export interface Learnable {
  readonly definition: { readonly gate: Pick<Gate, "kind"> };
  connected(): Promise<unknown>;
  offersKnown(): Promise<void>;
  restUnlessUsed(): Promise<void>;
}

/** What goes on without anybody waiting for it. */
export class Background {
  readonly #work = new Set<Promise<unknown>>();
  /** Servers to be learned, each with what begins that, or waits for it where it has begun. */
  readonly #unlearned = new Map<Learnable, () => Promise<void>>();
  readonly #fewAtOnce = atMost(CONNECTIONS);
  #stopped = false;

  /** Remembers work that must have ended before everything closes; it must not reject. */
  track(work: Promise<unknown>): void {
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }

  /**
   * Connects to a server to learn what it offers. Where many are to be learned, as at an import, each is stopped
   * again as soon as it is known.
   */
  learn(server: Learnable): void {
    let begun: Promise<void> | undefined;
    const begin = () => {
      begun ??= this.#learn(server);
      return begun;
    };
    this.#unlearned.set(server, begin);
    const learned = this.#fewAtOnce(begin).finally(() => {
      if (this.#unlearned.get(server) === begin) this.#unlearned.delete(server);
    });
    this.track(learned);
  }

  /** Resolves when `learn` has ended for this server, which begins at once: whoever waits for it waits for no other. */
  async learned(server: Learnable): Promise<void> {
    await this.#unlearned.get(server)?.();
  }

  /** Begins nothing new. */
  stop(): void {
    this.#stopped = true;
  }

  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  async #learn(server: Learnable): Promise<void> {
    if (this.#stopped || server.definition.gate.kind !== "open") return;
    await server.connected();
    await server.offersKnown();
    if (this.#work.size > CONNECTIONS) await server.restUnlessUsed();
  }
}

/** Runs work at once while fewer than `limit` pieces are under way, else as soon as one of them has ended. */
function atMost(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = limit;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
