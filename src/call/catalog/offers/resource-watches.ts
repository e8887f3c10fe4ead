import type { Caller } from "../../../contract/caller.ts";
import type { ResourceUpdate } from "../../../contract/offer.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { Resource } from "./resolve-offer.ts";

export interface WatchOptions {
  readonly signal: AbortSignal;
  readonly onUpdate: (update: ResourceUpdate) => void;
}

const MAX_PER_AGENT = 500;
const MAX_PER_ORIGIN = 5000;

/** Counts who watches which resources and limits it. A watch ends with its signal, or when this is closed. */
export class ResourceWatches {
  readonly #closing = new AbortController();
  readonly #counts = new Map<string, number>();

  /** Resolves once changes are being announced. */
  async watch(caller: Caller, resource: Resource, options: WatchOptions): Promise<Result<undefined, string>> {
    const { from, uri } = resource;
    if (!from.abilities.subscribe)
      return err(watchError(uri, `mcp server ${from.name} does not announce changes`));
    const agent = `agent ${caller.agentId}`;
    if (this.#count(agent) >= MAX_PER_AGENT) return err(tooManyError(uri, MAX_PER_AGENT, "of this agent"));
    if (this.#count(from.origin) >= MAX_PER_ORIGIN)
      return err(tooManyError(uri, MAX_PER_ORIGIN, "of this server"));

    const failed = new AbortController();
    const signal = AbortSignal.any([options.signal, this.#closing.signal, failed.signal]);
    if (signal.aborted) return err(watchError(uri, "the subscription was cancelled"));
    for (const key of [agent, from.origin]) this.#add(key, 1);
    signal.addEventListener(
      "abort",
      () => {
        for (const key of [agent, from.origin]) this.#add(key, -1);
      },
      { once: true },
    );
    const watching = await from.watch(uri, options.onUpdate, signal);
    if (watching.ok) return ok(undefined);
    failed.abort();
    return err(watchError(uri, watching.error));
  }

  close(): void {
    this.#closing.abort();
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #add(key: string, change: 1 | -1): void {
    const count = this.#count(key) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}

function watchError(uri: string, why: string): string {
  return `changes of the resource ${JSON.stringify(uri.slice(0, 200))} cannot be announced: ${why}`;
}

function tooManyError(uri: string, limit: number, whose: string): string {
  return watchError(uri, `${limit} resources ${whose} are already watched`);
}
