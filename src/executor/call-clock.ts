/**
 * The time limit of one call: `limitMs` of work from `start` on, begun anew by `extend` and not running while `pause`
 * counts, but never more than `capMs` in all.
 */
export class CallClock {
  readonly #limitMs: number;
  readonly #capMs: number;
  readonly #over: () => void;
  #startedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Only there once the limit alone no longer keeps within the cap. */
  #cap: NodeJS.Timeout | undefined;
  #pauses = 0;

  constructor(limitMs: number, capMs: number, over: () => void) {
    this.#limitMs = limitMs;
    this.#capMs = capMs;
    this.#over = over;
  }

  start(): void {
    if (this.#timer !== undefined || this.#pauses > 0) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(this.#over, Math.min(this.#limitMs, this.#capMs));
  }

  extend(): void {
    if (this.#pauses > 0) return;
    this.#keepCap();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#over, this.#limitMs);
  }

  /** Stops the clock until the function it returns is called; then the limit begins anew. */
  pause(): () => void {
    this.#pauses++;
    this.#keepCap();
    clearTimeout(this.#timer);
    return () => {
      this.#pauses--;
      this.extend();
    };
  }

  stop(): void {
    this.#pauses = Number.POSITIVE_INFINITY;
    clearTimeout(this.#timer);
    clearTimeout(this.#cap);
    this.#timer = undefined;
    this.#cap = undefined;
  }

  #keepCap(): void {
    if (this.#pauses === Number.POSITIVE_INFINITY) return;
    this.#startedAt ??= performance.now();
    this.#cap ??= setTimeout(this.#over, this.#capMs - (performance.now() - this.#startedAt));
  }
}
