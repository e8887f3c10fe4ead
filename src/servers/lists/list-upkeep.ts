import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../contract/errors.ts";
import type { Connection } from "../connection/connection.ts";
import type { OfferList } from "./offer-list.ts";
import type { ToolList } from "./tool-list.ts";

export interface UpkeepDeps {
  readonly storeTools: (list: ToolList) => Promise<void>;
  readonly storeOffers: (list: OfferList) => Promise<void>;
  readonly onProblem: (message: string) => void;
  /** Called with the error of a failed fetch or subscription, which may concern the whole connection. */
  readonly onFailure: (error: unknown) => void;
  /** How long a request for offers waits for the first list. */
  readonly offersWaitMs: number;
}

const PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/**
 * Keeps a server's lists up to date while one connection lives: fetches them again when the server reports a change and
 * when their time to live is over.
 */
export class ListUpkeep {
  readonly #connection: Connection;
  readonly #deps: UpkeepDeps;
  readonly #stop = new AbortController();
  readonly #tools: ListFetcher;
  readonly #offers: ListFetcher;
  readonly #firstOffers: Promise<void>;
  readonly #wait: Promise<void>;
  #isWaitOver = false;

  constructor(connection: Connection, deps: UpkeepDeps) {
    this.#connection = connection;
    this.#deps = deps;
    const { signal } = this.#stop;
    this.#tools = new ListFetcher(() => this.#fetchTools(), signal);
    this.#offers = new ListFetcher(() => this.#fetchOffers(), signal);
    this.#tools.scheduleFetch(connection.initialTools.ttlMs);
    void connection.followLists(
      { tools: () => void this.#tools.fetchNow(), offers: () => void this.#offers.fetchNow() },
      { signal, onProblem: deps.onProblem, onFailure: deps.onFailure },
    );
    this.#firstOffers = this.#offers.fetchNow();
    const timeout = delay(deps.offersWaitMs, undefined, { signal, ref: false }).catch(() => {});
    this.#wait = Promise.race([this.#firstOffers, timeout]).then(() => {
      this.#isWaitOver = true;
    });
  }

  /** The wait for the first list of offers; undefined once nobody has to wait. */
  get pendingOffers(): Promise<void> | undefined {
    return this.#isWaitOver ? undefined : this.#wait;
  }

  /** Resolves once the first fetch of the offers has ended, successful or not. */
  waitForOffers(): Promise<void> {
    return this.#firstOffers;
  }

  close(): void {
    this.#stop.abort();
  }

  async #fetchTools(): Promise<number | undefined> {
    try {
      const list = await this.#connection.listTools(this.#stop.signal);
      await this.#deps.storeTools(list);
      return list.ttlMs;
    } catch (error) {
      if (this.#stop.signal.aborted) return undefined;
      this.#deps.onProblem(`its changed tool list could not be fetched: ${messageOf(error)}`);
      this.#deps.onFailure(error);
      return undefined;
    }
  }

  async #fetchOffers(): Promise<number | undefined> {
    try {
      const list = await this.#connection.listOffers(this.#stop.signal);
      if (this.#stop.signal.aborted) return undefined;
      await this.#deps.storeOffers(list);
      if (list.failure !== undefined) this.#deps.onFailure(list.failure);
      return list.ttlMs;
    } catch (error) {
      this.#deps.onProblem(`its offers could not be stored: ${messageOf(error)}`);
      return undefined;
    }
  }
}

/** Fetches one list, never twice at once. Requests during a fetch are combined into one, after a growing pause. */
class ListFetcher {
  /** Never rejects; resolves with the time to live of the list. */
  readonly #fetch: () => Promise<number | undefined>;
  readonly #signal: AbortSignal;
  #fetching: Promise<number | undefined> = Promise.resolve(undefined);
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isStale = false;

  constructor(fetch: () => Promise<number | undefined>, signal: AbortSignal) {
    this.#fetch = fetch;
    this.#signal = signal;
    signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
  }

  /** Resolves once the list was fetched, or with the fetch under way if the next one has to wait. */
  async fetchNow(): Promise<void> {
    this.#isStale = true;
    if (!this.#isRunning) void this.#run();
    await this.#fetching;
  }

  scheduleFetch(ttlMs: number | undefined): void {
    clearTimeout(this.#timer);
    if (ttlMs === undefined || this.#signal.aborted) return;
    this.#timer = setTimeout(() => void this.fetchNow(), ttlMs);
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let pauseMs = PAUSE_MS; this.#isStale && !this.#signal.aborted; pauseMs *= 2) {
      this.#isStale = false;
      this.#fetching = this.#fetch();
      const ttlMs = await this.#fetching;
      // A server that announces changes without end must not keep everybody busy with its list.
      await this.#pause(Math.min(pauseMs, MAX_PAUSE_MS));
      if (!this.#isStale) this.scheduleFetch(ttlMs);
    }
    this.#isRunning = false;
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#signal, ref: false }).catch(() => {});
  }
}
