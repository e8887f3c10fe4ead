import type { Waiter } from "../call/questions/waiters.ts";

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
