import type { Gate } from "./definition.ts";

/** How many servers are connected at once to fetch their lists. */
const MAX_CONNECTIONS = 4;

/** The part of a server that fetching its lists needs. */
export interface ListableServer {
  readonly definition: { readonly gate: Pick<Gate, "kind"> };
  ensureConnected(): Promise<unknown>;
  waitForOffers(): Promise<void>;
  disconnectUnlessUsed(): Promise<void>;
}

/** Work that nobody waits for. */
export class Background {
  readonly #work = new Set<Promise<unknown>>();
  /** Servers whose lists are due, each with the function that starts the fetch or joins the one under way. */
  readonly #pendingFetches = new Map<ListableServer, () => Promise<void>>();
  readonly #limitFetches = limitConcurrency(MAX_CONNECTIONS);
  #isStopped = false;

  /** Registers work that must end before everything closes. It must not reject. */
  track(work: Promise<unknown>): void {
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }

  /**
   * Connects to a server to fetch its lists. If many servers are fetched, as after an import, each is disconnected
   * again once its lists are stored.
   */
  fetchLists(server: ListableServer): void {
    let started: Promise<void> | undefined;
    const start = () => {
      started ??= this.#fetchLists(server);
      return started;
    };
    this.#pendingFetches.set(server, start);
    const fetched = this.#limitFetches(start).finally(() => {
      if (this.#pendingFetches.get(server) === start) this.#pendingFetches.delete(server);
    });
    this.track(fetched);
  }

  /** Resolves once `fetchLists` has ended for this server. Starts it at once, so that the caller waits for no other server. */
  async waitForLists(server: ListableServer): Promise<void> {
    await this.#pendingFetches.get(server)?.();
  }

  /** Starts nothing new from now on. */
  stop(): void {
    this.#isStopped = true;
  }

  async waitUntilDone(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  async #fetchLists(server: ListableServer): Promise<void> {
    if (this.#isStopped || server.definition.gate.kind !== "open") return;
    await server.ensureConnected();
    await server.waitForOffers();
    if (this.#work.size > MAX_CONNECTIONS) await server.disconnectUnlessUsed();
  }
}

/** Runs work at once while fewer than `limit` pieces run, and otherwise when one of them ends. */
function limitConcurrency(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
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
