import type { Deadline, Deadlines } from "../../lib/flow/deadlines.ts";

/**
 * The time limit of one call: `limitMs` of work from `start` on, begun anew by `extend` and not running while `pause`
 * counts, but never more than `capMs` in all.
 */
export class CallClock {
  readonly #limitMs: number;
  readonly #capMs: number;
  readonly #over: () => void;
  readonly #deadlines: Deadlines;
  #startedAt: number | undefined;
  #timer: Deadline | undefined;
  /** Only there once the limit alone no longer keeps within the cap. */
  #cap: Deadline | undefined;
  #pauses = 0;

  constructor(limitMs: number, capMs: number, over: () => void, deadlines: Deadlines) {
    this.#limitMs = limitMs;
    this.#capMs = capMs;
    this.#over = over;
    this.#deadlines = deadlines;
  }

  start(): void {
    if (this.#timer !== undefined || this.#pauses > 0) return;
    this.#startedAt = performance.now();
    this.#timer = this.#deadlines.after(Math.min(this.#limitMs, this.#capMs), this.#over);
  }

  extend(): void {
    if (this.#pauses > 0) return;
    this.#keepCap();
    this.#forget();
    this.#timer = this.#deadlines.after(this.#limitMs, this.#over);
  }

  /** Stops the clock until the function it returns is called; then the limit begins anew. */
  pause(): () => void {
    this.#pauses++;
    this.#keepCap();
    this.#forget();
    return () => {
      this.#pauses--;
      this.extend();
    };
  }

  stop(): void {
    this.#pauses = Number.POSITIVE_INFINITY;
    this.#forget();
    if (this.#cap) this.#deadlines.cancel(this.#cap);
    this.#cap = undefined;
  }

  #forget(): void {
    if (this.#timer) this.#deadlines.cancel(this.#timer);
    this.#timer = undefined;
  }

  #keepCap(): void {
    if (this.#pauses === Number.POSITIVE_INFINITY) return;
    this.#startedAt ??= performance.now();
    this.#cap ??= this.#deadlines.after(this.#capMs - (performance.now() - this.#startedAt), this.#over);
  }
}
