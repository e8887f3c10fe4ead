import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../contract/errors.ts";
import type { Connection } from "../connection/connection.ts";
import type { OfferList } from "./offer-list.ts";
import type { ToolList } from "./tool-list.ts";

export interface UpkeepDeps {
  readonly learnTools: (list: ToolList) => Promise<void>;
  readonly learnOffers: (list: OfferList) => Promise<void>;
  readonly onProblem: (message: string) => void;
  /** Told what fetching or following a list failed with, which may be about the connection. */
  readonly onFailure: (error: unknown) => void;
  /** Whoever asks for offers waits this long for their first list. */
  readonly offersWaitMs: number;
}

const PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/**
 * Keeps what is known of a server's lists true for as long as one connection lives: fetched again when the server
 * says that they changed and when their time to live is over.
 */
export class ListUpkeep {
  readonly #connection: Connection;
  readonly #deps: UpkeepDeps;
  readonly #stop = new AbortController();
  readonly #tools: Refetch;
  readonly #offers: Refetch;
  readonly #firstOffers: Promise<void>;
  readonly #wait: Promise<void>;
  #isWaitOver = false;

  constructor(connection: Connection, deps: UpkeepDeps) {
    this.#connection = connection;
    this.#deps = deps;
    const { signal } = this.#stop;
    this.#tools = new Refetch(() => this.#fetchTools(), signal);
    this.#offers = new Refetch(() => this.#fetchOffers(), signal);
    this.#tools.after(connection.initialTools.ttlMs);
    void connection.followLists(
      { tools: () => void this.#tools.now(), offers: () => void this.#offers.now() },
      { signal, onProblem: deps.onProblem, onFailure: deps.onFailure },
    );
    this.#firstOffers = this.#offers.now();
    const late = delay(deps.offersWaitMs, undefined, { signal, ref: false }).catch(() => {});
    this.#wait = Promise.race([this.#firstOffers, late]).then(() => {
      this.#isWaitOver = true;
    });
  }

  /** What those wait for who ask for offers before there is a list; undefined once they need not. */
  get offersPending(): Promise<void> | undefined {
    return this.#isWaitOver ? undefined : this.#wait;
  }

  /** Resolves once the offers have been fetched for the first time, or could not be. */
  offersKnown(): Promise<void> {
    return this.#firstOffers;
  }

  close(): void {
    this.#stop.abort();
  }

  async #fetchTools(): Promise<number | undefined> {
    try {
      const list = await this.#connection.listTools(this.#stop.signal);
      await this.#deps.learnTools(list);
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
      await this.#deps.learnOffers(list);
      if (list.failure !== undefined) this.#deps.onFailure(list.failure);
      return list.ttlMs;
    } catch (error) {
      this.#deps.onProblem(`what it offers beside tools was not stored: ${messageOf(error)}`);
      return undefined;
    }
  }
}

/** Fetches one list, never twice at once. What is asked for meanwhile is fetched together, after a growing pause. */
class Refetch {
  /** Never rejects; resolves with the time to live of what came. */
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

  /** Resolves when the list was fetched, or with the fetch before where one must wait. */
  async now(): Promise<void> {
    this.#isStale = true;
    if (!this.#isRunning) void this.#run();
    await this.#fetching;
  }

  after(ttlMs: number | undefined): void {
    clearTimeout(this.#timer);
    if (ttlMs === undefined || this.#signal.aborted) return;
    this.#timer = setTimeout(() => void this.now(), ttlMs);
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
      if (!this.#isStale) this.after(ttlMs);
    }
    this.#isRunning = false;
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#signal, ref: false }).catch(() => {});
  }
}
