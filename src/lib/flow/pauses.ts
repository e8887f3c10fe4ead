import type { Clock } from "../clock.ts";

/** Tracks whether something is in use and reports when it was idle for a while. */
export class InUse {
  readonly #clock: Clock;
  #uses = 0;
  #usedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = 0;
  #idleAt = 0;
  #onIdle: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(): void {
    this.#uses++;
    this.#usedAt = this.#clock();
    this.stopWaiting();
  }

  end(): void {
    this.#uses--;
    this.#usedAt = this.#clock();
  }

  wasWithin(ms: number): boolean {
    return this.#uses > 0 || this.#clock() - this.#usedAt < ms;
  }

  /** Calls `onIdle` after `ms` without use; not while it is in use. */
  whenIdle(ms: number, onIdle: () => void): void {
    this.stopWaiting();
    if (this.#uses > 0) return;
    this.#onIdle = onIdle;
    this.#idleAt = performance.now() + ms;
    // A timer that fires too early is set again. Most of the time there was a use in between, and a new timer for each
    // use would cost more.
    if (this.#timer && this.#timerAt <= this.#idleAt) return;
    clearTimeout(this.#timer);
    this.#wait(ms);
  }

  stopWaiting(): void {
    this.#onIdle = undefined;
  }

  #wait(ms: number): void {
    this.#timerAt = performance.now() + ms;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const leftMs = this.#idleAt - performance.now();
      if (!this.#onIdle) return;
      if (leftMs > 0) return this.#wait(leftMs);
      const onIdle = this.#onIdle;
      this.#onIdle = undefined;
      onIdle();
    }, ms);
    this.#timer.unref();
  }
}

/** Pauses after failures that get longer with each failure in a row. */
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

  /** Starts the pause after one more failure. Calls `over` at its end, unless the pause is ended before. */
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
