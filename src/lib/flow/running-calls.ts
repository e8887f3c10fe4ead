/** Tracks running calls, so that closing leaves none behind. */
export class RunningCalls {
  readonly #calls = new Map<AbortController, Promise<unknown>>();
  #closed = false;

  /** True once `close` was called: nothing may begin any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Runs `work` with a signal that aborts with the given one, or when this is closed. */
  async follow<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const abort = () => stop.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    const call = work(stop.signal);
    this.#calls.set(stop, call);
    try {
      return await call;
    } finally {
      this.#calls.delete(stop);
      signal.removeEventListener("abort", abort);
    }
  }

  /** Aborts running calls and resolves when all have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const call of this.#calls.keys()) call.abort();
    await Promise.allSettled(this.#calls.values());
  }
}
