import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { ToolkeepError } from "../../contract/errors.ts";
import { FleetingSet } from "../../lib/flow/fleeting-set.ts";

/**
 * Follows the requests that change or call something, so that a process can finish them before it ends. Made before
 * the routes: Fastify gives a hook only to routes that come after it.
 */
export class ActiveRequests {
  readonly #active = new FleetingSet<ServerResponse>();
  /** Who waits until there are none. */
  #onIdle: (() => void) | undefined;
  #refusing = false;

  constructor(app: FastifyInstance) {
    app.addHook("onRequest", async (request, reply) => {
      const refused = this.begin(request.raw, reply.raw);
      if (refused) throw refused;
    });
  }

  /** Whether nothing new is begun any more. */
  get isDraining(): boolean {
    return this.#refusing;
  }

  /** Follows a request that goes past Fastify; the error to refuse it with, where none is taken any more. */
  begin(request: IncomingMessage, response: ServerResponse): ToolkeepError | undefined {
    // In a session it may be the answer that a call under way waits for; the gateway looks.
    if (this.#refusing && request.headers["mcp-session-id"] === undefined)
      return new ToolkeepError("DAEMON_UNREACHABLE", "the daemon is stopping");
    // A GET may be a stream that lasts as long as its client.
    if (request.method !== "GET") this.#follow(response);
    return undefined;
  }

  /** Takes no new requests; resolves when none is under way, or after `limitMs`. */
  async drain(limitMs: number): Promise<void> {
    this.#refusing = true;
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

  #follow(response: ServerResponse): void {
    this.#active.add(response);
    response.once("close", () => {
      this.#active.delete(response);
      if (this.#active.size === 0) this.#onIdle?.();
    });
  }
}
