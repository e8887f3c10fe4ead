/**
 * The time limit of one call: `limitMs` of work, begun anew by `extend` and not running while `pause` counts, but
 * never more than `capMs` in all.
 */
export class CallClock {
  readonly #limitMs: number;
  readonly #over: () => void;
  readonly #cap: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #pauses = 0;

  constructor(limitMs: number, capMs: number, over: () => void) {
    this.#limitMs = limitMs;
    this.#over = over;
    this.#cap = setTimeout(over, capMs);
    this.extend();
  }

  extend(): void {
    if (this.#pauses > 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#over, this.#limitMs);
  }

  /** Stops the clock until the function it returns is called; then the limit begins anew. */
  pause(): () => void {
    this.#pauses++;
    clearTimeout(this.#timer);
    return () => {
      this.#pauses--;
      this.extend();
    };
  }

  stop(): void {
    this.#pauses++;
    clearTimeout(this.#timer);
    clearTimeout(this.#cap);
  }
}
