import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

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
