import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { ToolkeepError } from "../errors.ts";

/** Follows the requests that change or call something, so that a daemon can finish them before it ends. */
export class ActiveRequests {
  readonly #idle = new EventTarget();
  #active = 0;
  #refusing = false;

  constructor(app: FastifyInstance) {
    app.addHook("onRequest", async (request, reply) => {
      if (this.#refusing) throw new ToolkeepError("DAEMON_UNREACHABLE", "the daemon is stopping");
      // A GET may be a stream that lasts as long as its client.
      if (request.method === "GET") return;
      this.#active += 1;
      reply.raw.once("close", () => {
        this.#active -= 1;
        if (this.#active === 0) this.#idle.dispatchEvent(new Event("idle"));
      });
    });
  }

  /** Takes no new requests; resolves when none is under way, or after `limitMs`. */
  async drain(limitMs: number): Promise<void> {
    this.#refusing = true;
    if (this.#active === 0) return;
    const done = new AbortController();
    const { signal } = done;
    await Promise.race([once(this.#idle, "idle", { signal }), sleep(limitMs, undefined, { signal })]).catch(
      () => undefined,
    );
    done.abort();
  }
}
