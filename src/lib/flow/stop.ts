/**
 * Says once that something must stop, as an AbortSignal does, at a small part of its cost: a signal of Node takes
 * longer to make than a call takes to be decided. The signal is made where something asks for one.
 */
export class Stop {
  #aborted = false;
  #reason: unknown;
  /** Hardly ever more than two, so that a list is less than a set. */
  #listeners: (() => void)[] | undefined;
  #controller: AbortController | undefined;

  /** Follows a signal that is there already. */
  static of(signal: AbortSignal): Stop {
    const stop = new Stop();
    stop.follow(signal);
    return stop;
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** The same as an AbortSignal. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** A second time does nothing. Listeners must not throw. */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    const listeners = this.#listeners;
    this.#listeners = undefined;
    this.#controller?.abort(reason);
    if (listeners) for (const listener of listeners) listener();
  }

  /** Calls `listener` once, at once where it is too late to wait for it; returns what takes it back. */
  onAbort(listener: () => void): () => void {
    if (this.#aborted) {
      listener();
      return nothing;
    }
    if (this.#listeners) this.#listeners.push(listener);
    else this.#listeners = [listener];
    let isTakenBack = false;
    return () => {
      // Once: the same function may have been given twice.
      if (!isTakenBack) this.#takeBack(listener);
      isTakenBack = true;
    };
  }

  #takeBack(listener: () => void): void {
    const listeners = this.#listeners;
    if (!listeners) return;
    if (listeners.length === 1 && listeners[0] === listener) this.#listeners = undefined;
    else {
      const at = listeners.indexOf(listener);
      if (at !== -1) listeners.splice(at, 1);
    }
  }

  /** Stops with `signal` too; returns what ends that. */
  follow(signal: AbortSignal, reason?: unknown): () => void {
    const abort = () => this.abort(reason ?? signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    return () => signal.removeEventListener("abort", abort);
  }
}

function nothing(): void {}
