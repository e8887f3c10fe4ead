import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { FleetingSet } from "../flow/fleeting-set.ts";

export interface OpenAnswer {
  readonly res: ServerResponse;
  /** The token that the request came with. */
  readonly tokenId: string;
  /** A stream that lasts as long as its client, not the answer to a call. */
  readonly lasting: boolean;
}

/** The answers under way, streams above all, so that they can end with their token or with the process. */
export class OpenAnswers {
  readonly #open = new FleetingSet<OpenAnswer>();

  get size(): number {
    return this.#open.size;
  }

  /** Counts as open until `end` is given the same object. */
  begin(answer: OpenAnswer): void {
    this.#open.add(answer);
  }

  end(answer: OpenAnswer): void {
    this.#open.delete(answer);
  }

  /** Cuts what was opened with a token that is not among these. */
  endOthers(validTokens: ReadonlySet<string>): void {
    for (const { res, tokenId } of this.#open.all()) if (!validTokens.has(tokenId)) res.destroy();
  }

  endLasting(): void {
    for (const { res, lasting } of this.#open.all()) if (lasting) res.destroy();
  }

  /** Lets what is about to end do so for up to `graceMs`, then cuts the rest. */
  async close(graceMs: number): Promise<void> {
    const deadline = performance.now() + graceMs;
    while (this.#open.size > 0 && performance.now() < deadline) await delay(10);
    for (const { res } of this.#open.all()) res.destroy();
  }
}

/** More requests than this on one connection, each sent before the one before it was answered, are not waited for. */
const MAX_QUEUED = 100;

/**
 * Answers that wait for others on the same connection (HTTP pipelining). Node tells only the one that is being sent
 * that the connection has ended; the rest would stay under way for ever.
 */
export class QueuedAnswers {
  readonly #queued = new WeakMap<Socket, Set<ServerResponse>>();

  watch({ socket }: IncomingMessage, res: ServerResponse): void {
    // It has the connection already.
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
