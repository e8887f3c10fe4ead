import { setTimeout as delay } from "node:timers/promises";
import type { ResourceUpdate } from "../../contract/offer.ts";
import { err, type Result } from "../../lib/result.ts";
import type { Connection } from "../connection/connection.ts";
import type { ServerState } from "../views.ts";
import type { ResourceFollowing } from "./resource-updates.ts";

/** The server, as far as watching goes. */
export interface WatchedServer {
  readonly state: ServerState;
  /** Lends the connection to `work`, which rejects with what failed over it. */
  useConnection<T>(
    signal: AbortSignal,
    work: (connection: Pick<Connection, "closed" | "followResources">) => Promise<T>,
  ): Promise<Result<T, string>>;
}

type Followed = Result<undefined, string>;

/** One resource that somebody watches. */
interface Watched {
  readonly watchers: Set<(update: ResourceUpdate) => void>;
  /** Whether the server tells, as far as is known first. */
  readonly followed: Promise<Followed>;
  readonly settle: (followed: Followed) => void;
  wasFollowed: boolean;
}

const PAUSES_MS = [1000, 2000, 5000, 15_000, 60_000];
/** A resource that changes all the time is told about this often. */
const QUIET_MS = 100;
/** Longer URIs are watched by nobody. */
const MAX_URI = 8192;

/**
 * Who watches which resources of one server. Each resource is followed once, however many watch it. As long as
 * anybody does, the server is kept running and, where its connection is lost, followed again over the next.
 */
export class WatchedResources {
  readonly #server: WatchedServer;
  readonly #watched = new Map<string, Watched>();
  /** Resources that were told about just now, and what came for them since. */
  readonly #quiet = new Map<string, { next: ResourceUpdate | undefined }>();
  /** Aborted when nobody watches any more. */
  #stop: AbortController | undefined;
  #following: ResourceFollowing | undefined;
  #fail: (error: unknown) => void = () => {};

  constructor(server: WatchedServer) {
    this.#server = server;
  }

  /** Resolves once changes are told, which they are until the signal aborts; an error says why they will not be. */
  async watch(
    uri: string,
    onUpdate: (update: ResourceUpdate) => void,
    signal: AbortSignal,
  ): Promise<Followed> {
    if (signal.aborted) return err("it was given up");
    const watched = this.#watched.get(uri) ?? this.#begin(uri);
    const watcher = (update: ResourceUpdate) => onUpdate(update);
    watched.watchers.add(watcher);
    const leave = () => this.#leave(uri, watched, watcher);
    signal.addEventListener("abort", leave, { once: true });
    const followed = await watched.followed;
    if (!followed.ok) {
      signal.removeEventListener("abort", leave);
      leave();
    }
    return followed;
  }

  #begin(uri: string): Watched {
    let settle: (followed: Followed) => void = () => {};
    const followed = new Promise<Followed>((resolve) => {
      settle = resolve;
    });
    const watched: Watched = { watchers: new Set(), followed, settle, wasFollowed: false };
    this.#watched.set(uri, watched);
    if (this.#following) {
      this.#follow(uri, watched, this.#following).catch((error) => this.#fail(error));
    } else if (!this.#stop) {
      this.#stop = new AbortController();
      void this.#run(this.#stop);
    }
    return watched;
  }

  #leave(uri: string, watched: Watched, watcher: (update: ResourceUpdate) => void): void {
    watched.watchers.delete(watcher);
    if (watched.watchers.size > 0 || this.#watched.get(uri) !== watched) return;
    this.#watched.delete(uri);
    void this.#endFollowing(uri);
  }

  async #endFollowing(uri: string): Promise<void> {
    await this.#following?.leave(uri);
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
      if (!ended.ok) this.#refuse(ended.error);
      if (this.#server.state === "closed") break;
      failures = ended.ok ? 0 : failures + 1;
      const pauseMs = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)];
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
    if (this.#stop === stop) this.#stop = undefined;
  }

  /** Whoever has been told nothing yet is told why; the others are followed again as soon as that is possible. */
  #refuse(reason: string): void {
    for (const watched of this.#watched.values()) if (!watched.wasFollowed) watched.settle(err(reason));
  }

  /** Until the connection ends, or nobody watches any more. Rejects when the connection fails. */
  async #followOver(
    connection: Pick<Connection, "closed" | "followResources">,
    signal: AbortSignal,
  ): Promise<void> {
    const over = new AbortController();
    const failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    const following = connection.followResources({
      onUpdate: (update) => this.#tell(update),
      signal: AbortSignal.any([signal, over.signal]),
    });
    following.failed.then((error) => this.#fail(error), this.#fail);
    this.#following = following;
    try {
      const all = [...this.#watched].map(([uri, watched]) => this.#follow(uri, watched, following));
      await Promise.race([Promise.all(all), failed]);
      await Promise.race([connection.closed, aborted(signal), failed]);
    } catch (error) {
      // What was given up has not failed.
      if (!signal.aborted) throw error;
    } finally {
      this.#following = undefined;
      over.abort();
    }
  }

  async #follow(uri: string, watched: Watched, following: ResourceFollowing): Promise<void> {
    const followed = await following.follow(uri);
    watched.settle(followed);
    // What changed while nobody could tell was told to nobody.
    if (watched.wasFollowed) this.#tell({ uri });
    watched.wasFollowed ||= followed.ok;
  }

  #tell(update: ResourceUpdate): void {
    const watched = this.#watchedFor(update.uri);
    if (watched.length === 0) return;
    const quiet = this.#quiet.get(update.uri);
    if (quiet) {
      quiet.next = update;
      return;
    }
    const window: { next: ResourceUpdate | undefined } = { next: undefined };
    this.#quiet.set(update.uri, window);
    setTimeout(() => {
      this.#quiet.delete(update.uri);
      if (window.next) this.#tell(window.next);
    }, QUIET_MS).unref();
    for (const { watchers } of watched) for (const watcher of watchers) watcher(update);
  }

  /** A server may name a part of what is watched. */
  #watchedFor(uri: string): readonly Watched[] {
    const found: Watched[] = [];
    if (uri.length > MAX_URI) return found;
    for (let end = uri.length; end > 0; end = beginningBefore(uri, end)) {
      const watched = this.#watched.get(uri.slice(0, end));
      if (watched) found.push(watched);
    }
    return found;
  }
}

/** Where the next shorter part of a URI ends that may be watched for itself; 0 when there is none. */
function beginningBefore(uri: string, end: number): number {
  return Math.max(...["/", "?", "#"].map((mark) => uri.lastIndexOf(mark, end - 1)), 0);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** One for each server, made when it is first asked for and gone with the server. */
export function watchedPerServer(): (server: WatchedServer) => WatchedResources {
  const made = new WeakMap<WatchedServer, WatchedResources>();
  return (server) => {
    const watched = made.get(server) ?? new WatchedResources(server);
    made.set(server, watched);
    return watched;
  };
}
