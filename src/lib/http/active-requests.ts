import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { FleetingSet } from "../flow/fleeting-set.ts";

/** Follows the requests that change or call something, so that a process can finish them before it ends. */
export class ActiveRequests {
  readonly #active = new FleetingSet<ServerResponse>();
  /** Set while somebody waits until there are none. */
  #onIdle: (() => void) | undefined;
  #isDraining = false;

  /** Whether the process is about to end: whoever takes requests decides which ones it still begins. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Follows a request until its response closes. A GET is not followed: it may be a stream that lasts as long as its client. */
  begin({ method }: Pick<IncomingMessage, "method">, response: ServerResponse): void {
    if (method === "GET") return;
    this.#active.add(response);
    response.once("close", () => {
      this.#active.delete(response);
      if (this.#active.size === 0) this.#onIdle?.();
    });
  }

  /** Resolves when no request is under way, or after `limitMs`. */
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

  /** Ends those under way as if their clients had gone, which cancels what they wait for. */
  abort(): void {
    for (const response of this.#active.all()) response.destroy();
  }
}
