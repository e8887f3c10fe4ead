/** A call that waits for an answer: it sleeps until it is woken, until the next poll, or until its time is up. */
export interface Waiter {
  /** No time is left: poll once more, then stop waiting. */
  readonly isOver: boolean;
  /** Rejects with the signal's reason when it aborts; resolves at once if it was woken since the last sleep. */
  sleep(): Promise<void>;
  wake(): void;
  /** Wakes for the last time. */
  stop(): void;
  /** Releases timers and listeners; must be called. */
  close(): void;
}

export function createWaiter(waitMs: number, pollMs: number, signal?: AbortSignal): Waiter {
  let isOver = waitMs <= 0;
  let isWoken = false;
  let resume: (() => void) | undefined;

  const wake = () => {
    isWoken = true;
    resume?.();
  };
  const stop = () => {
    isOver = true;
    wake();
  };
  const deadline = setTimeout(stop, Math.max(0, waitMs));
  const poll = setInterval(wake, pollMs);
  signal?.addEventListener("abort", wake);

  return {
    get isOver() {
      return isOver;
    },
    async sleep() {
      if (!isWoken && !signal?.aborted) {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
      isWoken = false;
      signal?.throwIfAborted();
    },
    wake,
    stop,
    close() {
      clearTimeout(deadline);
      clearInterval(poll);
      signal?.removeEventListener("abort", wake);
    },
  };
}

/** Which waiters wait for which question. */
export class Waiters {
  readonly #byQuestion = new Map<string, Set<Waiter>>();

  /** Returns the function that removes the waiter. */
  enter(id: string, waiter: Waiter): () => void {
    const waiters = this.#byQuestion.get(id) ?? new Set();
    this.#byQuestion.set(id, waiters.add(waiter));
    return () => {
      waiters.delete(waiter);
      if (waiters.size === 0 && this.#byQuestion.get(id) === waiters) this.#byQuestion.delete(id);
    };
  }

  wake(id: string): void {
    for (const waiter of this.#byQuestion.get(id) ?? []) waiter.wake();
  }

  wakeAll(): void {
    for (const id of this.#byQuestion.keys()) this.wake(id);
  }

  stopAll(): void {
    for (const waiters of this.#byQuestion.values()) for (const waiter of waiters) waiter.stop();
  }
}
