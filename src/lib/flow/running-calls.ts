/** Knows the calls under way, so that closing leaves none behind. */
export class RunningCalls {
  readonly #calls = new Map<AbortController, Promise<unknown>>();
  #closed = false;

  /** True from the moment `close` is called: nothing may begin any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /** The signal that `work` gets aborts with the given one, and when this is closed. */
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

  /** Aborts what is under way and resolves when all of it has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const call of this.#calls.keys()) call.abort();
    await Promise.allSettled(this.#calls.values());
  }
}
