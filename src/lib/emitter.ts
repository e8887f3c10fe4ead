/**
 * Typed, synchronous publish and subscribe. `M` maps each event to its payload. A listener that throws is reported and
 * does not stop the others.
 */
export class Emitter<M> {
  readonly #listeners = new Map<keyof M, Set<(payload: never) => void>>();
  readonly #onError: (error: unknown, event: keyof M) => void;

  constructor(onError: (error: unknown, event: keyof M) => void) {
    this.#onError = onError;
  }

  emit<N extends keyof M>(name: N, payload: M[N]): void {
    const listeners = this.#listeners.get(name);
    if (!listeners) return;
    for (const listener of listeners) {
      try {
        (listener as (payload: M[N]) => void)(payload);
      } catch (error) {
        this.#onError(error, name);
      }
    }
  }

  /** Returns the function that stops listening. */
  on<N extends keyof M>(name: N, listener: (payload: M[N]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }
}
