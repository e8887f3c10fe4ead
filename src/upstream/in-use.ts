import type { Clock } from "../lib/clock.ts";

/** Knows whether something is in use, and tells when it has not been for a while. */
export class InUse {
  readonly #clock: Clock;
  #uses = 0;
  #usedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

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
    this.#timer = setTimeout(onIdle, ms);
    this.#timer.unref();
  }

  stopWaiting(): void {
    clearTimeout(this.#timer);
  }
}
