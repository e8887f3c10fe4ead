import { setTimeout as delay } from "node:timers/promises";
import type { ResourceUpdate } from "../../contract/offer.ts";
import { err, type Result } from "../../lib/result.ts";
import type { Connection } from "../connection/connection.ts";
import type { ServerState } from "../contract.ts";
import type { ResourceFollower } from "./resource-updates.ts";

/** The part of a server that watching needs. */
export interface WatchedServer {
  readonly state: ServerState;
  /** Lends the connection to `work`, which rejects if a request over it fails. */
  useConnection<T>(
    signal: AbortSignal,
    work: (connection: Pick<Connection, "closed" | "followResources">) => Promise<T>,
  ): Promise<Result<T, string>>;
}

type FollowResult = Result<undefined, string>;

/** One resource with at least one watcher. */
interface WatchedResource {
  readonly watchers: Set<(update: ResourceUpdate) => void>;
  /** Whether the server reports changes, as of the first attempt. */
  readonly firstResult: Promise<FollowResult>;
  readonly settle: (result: FollowResult) => void;
  wasFollowed: boolean;
}

const PAUSES_MS = [1000, 2000, 5000, 15_000, 60_000];
/** The shortest time between two updates of one resource. */
const THROTTLE_MS = 100;
/** Longer URIs are never watched. */
const MAX_URI = 8192;

/**
 * The watchers of one server's resources. Each resource is followed once, however many watch it. While anybody watches,
 * the server is kept running, and after a lost connection its resources are followed again over the next one.
 */
export class WatchedResources {
  readonly #server: WatchedServer;
  readonly #watched = new Map<string, WatchedResource>();
  /** Resources with a recent update, and the latest one received since. */
  readonly #throttled = new Map<string, { next: ResourceUpdate | undefined }>();
  /** Aborted when nobody watches any more. */
  #stop: AbortController | undefined;
  #follower: ResourceFollower | undefined;
  #fail: (error: unknown) => void = () => {};

  constructor(server: WatchedServer) {
    this.#server = server;
  }

  /** Resolves once changes are reported, which lasts until the signal aborts; the error says why they will not be. */
  async watch(
    uri: string,
    onUpdate: (update: ResourceUpdate) => void,
    signal: AbortSignal,
  ): Promise<FollowResult> {
    if (signal.aborted) return err("watching was cancelled");
    const watched = this.#watched.get(uri) ?? this.#addResource(uri);
    const watcher = (update: ResourceUpdate) => onUpdate(update);
    watched.watchers.add(watcher);
    const leave = () => this.#removeWatcher(uri, watched, watcher);
    signal.addEventListener("abort", leave, { once: true });
    const result = await watched.firstResult;
    if (!result.ok) {
      signal.removeEventListener("abort", leave);
      leave();
    }
    return result;
  }

  #addResource(uri: string): WatchedResource {
    let settle: (result: FollowResult) => void = () => {};
    const firstResult = new Promise<FollowResult>((resolve) => {
      settle = resolve;
    });
    const watched: WatchedResource = { watchers: new Set(), firstResult, settle, wasFollowed: false };
    this.#watched.set(uri, watched);
    if (this.#follower) {
      this.#follow(uri, watched, this.#follower).catch((error) => this.#fail(error));
    } else if (!this.#stop) {
      this.#stop = new AbortController();
      void this.#run(this.#stop);
    }
    return watched;
  }

  #removeWatcher(uri: string, watched: WatchedResource, watcher: (update: ResourceUpdate) => void): void {
    watched.watchers.delete(watcher);
    if (watched.watchers.size > 0 || this.#watched.get(uri) !== watched) return;
    this.#watched.delete(uri);
    void this.#unfollow(uri);
  }

  async #unfollow(uri: string): Promise<void> {
    await this.#follower?.unfollow(uri);
    if (this.#watched.size > 0) return;
    this.#stop?.abort();
    this.#stop = undefined;
  }

  async #run(stop: AbortController): Promise<void> {
    const { signal } = stop;
    for (let failures = 0; !signal.aborted; ) {
      const ended = await this.#server.useConnection(signal, (connection) =>
        this.#followOver(connection, signal),
      );
      if (!ended.ok) this.#rejectWaiting(ended.error);
      if (this.#server.state === "closed") break;
      failures = ended.ok ? 0 : failures + 1;
      const pauseMs = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)];
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
    if (this.#stop === stop) this.#stop = undefined;
  }

  /** Reports the reason to watchers that still wait; the others are followed again as soon as possible. */
  #rejectWaiting(reason: string): void {
    for (const watched of this.#watched.values()) if (!watched.wasFollowed) watched.settle(err(reason));
  }

  /** Runs until the connection ends or nobody watches any more. Rejects if the connection fails. */
  async #followOver(
    connection: Pick<Connection, "closed" | "followResources">,
    signal: AbortSignal,
  ): Promise<void> {
    const ending = new AbortController();
    const failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    const follower = connection.followResources({
      onUpdate: (update) => this.#notify(update),
      signal: AbortSignal.any([signal, ending.signal]),
    });
    follower.failure.then((error) => this.#fail(error), this.#fail);
    this.#follower = follower;
    try {
      const all = [...this.#watched].map(([uri, watched]) => this.#follow(uri, watched, follower));
      await Promise.race([Promise.all(all), failed]);
      await Promise.race([connection.closed, waitForAbort(signal), failed]);
    } catch (error) {
      // An abort is not a failure.
      if (!signal.aborted) throw error;
    } finally {
      this.#follower = undefined;
      ending.abort();
    }
  }

  async #follow(uri: string, watched: WatchedResource, follower: ResourceFollower): Promise<void> {
    const result = await follower.follow(uri);
    watched.settle(result);
    // Changes made while nothing was followed were reported to nobody.
    if (watched.wasFollowed) this.#notify({ uri });
    watched.wasFollowed ||= result.ok;
  }

  #notify(update: ResourceUpdate): void {
    const watched = this.#findWatched(update.uri);
    if (watched.length === 0) return;
    const throttled = this.#throttled.get(update.uri);
    if (throttled) {
      throttled.next = update;
      return;
    }
    const window: { next: ResourceUpdate | undefined } = { next: undefined };
    this.#throttled.set(update.uri, window);
    setTimeout(() => {
      this.#throttled.delete(update.uri);
      if (window.next) this.#notify(window.next);
    }, THROTTLE_MS).unref();
    for (const { watchers } of watched) for (const watcher of watchers) watcher(update);
  }

  /** A server may report a part of a watched resource. */
  #findWatched(uri: string): readonly WatchedResource[] {
    const matches: WatchedResource[] = [];
    if (uri.length > MAX_URI) return matches;
    for (let end = uri.length; end > 0; end = findParentEnd(uri, end)) {
      const watched = this.#watched.get(uri.slice(0, end));
      if (watched) matches.push(watched);
    }
    return matches;
  }
}

/** The end of the next shorter URI that may be watched; 0 if there is none. */
function findParentEnd(uri: string, end: number): number {
  return Math.max(...["/", "?", "#"].map((mark) => uri.lastIndexOf(mark, end - 1)), 0);
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Creates one per server on demand; it is collected with the server. */
export function createWatchedResources(): (server: WatchedServer) => WatchedResources {
  const byServer = new WeakMap<WatchedServer, WatchedResources>();
  return (server) => {
    const watched = byServer.get(server) ?? new WatchedResources(server);
    byServer.set(server, watched);
    return watched;
  };
}
