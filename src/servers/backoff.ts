/** The pause after a failure, longer with each in a row. */
export class Backoff {
  readonly #pausesMs: readonly number[];
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  /** The last value repeats. */
  constructor(pausesMs: readonly number[]) {
    this.#pausesMs = pausesMs;
  }

  get isPausing(): boolean {
    return this.#timer !== undefined;
  }

  /** Begins the pause for one more failure; `over` is called at its end unless it is ended before. */
  pause(over: () => void): void {
    this.end();
    const ms = this.#pausesMs[Math.min(this.#failures, this.#pausesMs.length - 1)] ?? 0;
    this.#failures++;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      over();
    }, ms);
    this.#timer.unref();
  }

  /** Ends a pause; the next failure still counts as one more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Ends a pause and forgets the failures. */
  reset(): void {
    this.end();
    this.#failures = 0;
  }
}
