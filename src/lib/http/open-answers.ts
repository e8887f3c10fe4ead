import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { FleetingSet } from "../flow/fleeting-set.ts";

export interface OpenAnswer {
  readonly res: ServerResponse;
  /** The token of the request. */
  readonly tokenId: string;
  /** True for a stream that lasts as long as its client, false for the answer to a call. */
  readonly lasting: boolean;
}

/** Tracks open answers, mainly streams, so that they end with their token or with the process. */
export class OpenAnswers {
  readonly #open = new FleetingSet<OpenAnswer>();

  get size(): number {
    return this.#open.size;
  }

  /** The answer counts as open until `end` gets the same object. */
  begin(answer: OpenAnswer): void {
    this.#open.add(answer);
  }

  end(answer: OpenAnswer): void {
    this.#open.delete(answer);
  }

  /** Ends answers whose token is not in the set. */
  endOthers(validTokens: ReadonlySet<string>): void {
    for (const { res, tokenId } of this.#open.all()) if (!validTokens.has(tokenId)) res.destroy();
  }

  endLasting(): void {
    for (const { res, lasting } of this.#open.all()) if (lasting) res.destroy();
  }

  /** Waits up to `graceMs` for answers that are about to end, then cuts off the rest. */
  async close(graceMs: number): Promise<void> {
    const deadline = performance.now() + graceMs;
    while (this.#open.size > 0 && performance.now() < deadline) await delay(10);
    for (const { res } of this.#open.all()) res.destroy();
  }
}

/** The most requests on one connection that may wait for the answer to an earlier one. */
const MAX_QUEUED = 100;

/**
 * Answers that wait for others on the same connection (HTTP pipelining). When a connection closes, Node tells only the
 * answer that is being sent; the others would stay open for ever.
 */
export class QueuedAnswers {
  readonly #queued = new WeakMap<Socket, Set<ServerResponse>>();

  watch({ socket }: IncomingMessage, res: ServerResponse): void {
    // This answer is already being sent.
    if (res.socket !== null) return;
    const queued = this.#queued.get(socket) ?? this.#follow(socket);
    queued.add(res);
    res.once("close", () => queued.delete(res));
    if (queued.size > MAX_QUEUED) socket.destroy();
  }

  #follow(socket: Socket): Set<ServerResponse> {
    const queued = new Set<ServerResponse>();
    this.#queued.set(socket, queued);
    socket.once("close", () => {
      for (const res of queued) {
        if (res.socket !== null) continue;
        res.destroyed = true;
        res.emit("close");
      }
    });
    return queued;
  }
}
