/** Somebody who waits for an answer: sleeps until rung, until it is time to look again, or until time is up. */
export interface Waiter {
  /** No time is left: look once more, then stop waiting. */
  readonly over: boolean;
  /** Rejects with the signal's reason when it aborts; resolves at once when rung since the last sleep. */
  sleep(): Promise<void>;
  ring(): void;
  /** Rings for the last time. */
  stop(): void;
  /** Gives timers and listeners back; must be called. */
  close(): void;
}

export function createWaiter(waitMs: number, pollMs: number, signal?: AbortSignal): Waiter {
  let over = waitMs <= 0;
  let rung = false;
  let wake: (() => void) | undefined;

  const ring = () => {
    rung = true;
    wake?.();
  };
  const stop = () => {
    over = true;
    ring();
  };
  const deadline = setTimeout(stop, Math.max(0, waitMs));
  const poll = setInterval(ring, pollMs);
  signal?.addEventListener("abort", ring);

  return {
    get over() {
      return over;
    },
    async sleep() {
      if (!rung && !signal?.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      rung = false;
      signal?.throwIfAborted();
    },
    ring,
    stop,
    close() {
      clearTimeout(deadline);
      clearInterval(poll);
      signal?.removeEventListener("abort", ring);
    },
  };
}

/** Who waits for which question. */
export class Waiters {
  readonly #waiting = new Map<string, Set<Waiter>>();

  /** Returns the function that takes the waiter out again. */
  enter(id: string, waiter: Waiter): () => void {
    const waiters = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiters.add(waiter));
    return () => {
      waiters.delete(waiter);
      if (waiters.size === 0 && this.#waiting.get(id) === waiters) this.#waiting.delete(id);
    };
  }

  ring(id: string): void {
    for (const waiter of this.#waiting.get(id) ?? []) waiter.ring();
  }

  ringAll(): void {
    for (const id of this.#waiting.keys()) this.ring(id);
  }

  stopAll(): void {
    for (const waiters of this.#waiting.values()) for (const waiter of waiters) waiter.stop();
  }
}
