import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { FleetingSet } from "../flow/fleeting-set.ts";

/** Tracks requests that change or call something, so that a process can finish them before it ends. */
export class ActiveRequests {
  readonly #active = new FleetingSet<ServerResponse>();
  /** Set while `drain` waits for the last request. */
  #onIdle: (() => void) | undefined;
  #isDraining = false;

  /** True once the process is about to end. The caller decides which requests it still starts. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /**
   * Tracks a request until its response closes. Ignores GET requests, because one may be a stream that lasts as long as
   * its client.
   */
  begin({ method }: Pick<IncomingMessage, "method">, response: ServerResponse): void {
    if (method === "GET") return;
    this.#active.add(response);
    response.once("close", () => {
      this.#active.delete(response);
      if (this.#active.size === 0) this.#onIdle?.();
    });
  }

  /** Resolves when no request is running, or after `limitMs`. */
  async drain(limitMs: number): Promise<void> {
    this.#isDraining = true;
    if (this.#active.size === 0) return;
    const done = new AbortController();
    const { signal } = done;
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    await Promise.race([idle, sleep(limitMs, undefined, { signal })]);
    done.abort();
  }

  /** Ends running requests as if their clients had disconnected, which cancels what they wait for. */
  abort(): void {
    for (const response of this.#active.all()) response.destroy();
  }
}
