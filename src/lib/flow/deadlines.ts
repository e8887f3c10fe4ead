import { FleetingSet } from "./fleeting-set.ts";

/** A callback that runs at its time unless it is cancelled before. */
export interface Deadline {
  readonly at: number;
  readonly over: () => void;
}

export interface DeadlinesOptions {
  /** Whether pending deadlines keep the process alive; default true. */
  readonly keepAlive?: boolean;
}

/** The longest delay of a Node timer. */
const MAX_MS = 2 ** 31 - 1;

/**
 * Timeouts for work that nearly always finishes first. All of them share one timer, which stays set while they come and
 * go. Separate timers would be set and cleared with every call.
 */
export class Deadlines {
  readonly #waiting = new FleetingSet<Deadline>();
  readonly #keepAlive: boolean;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor({ keepAlive = true }: DeadlinesOptions = {}) {
    this.#keepAlive = keepAlive;
  }

  after(ms: number, over: () => void): Deadline {
    const now = performance.now();
    // Treats a delay that is not a number as 0, as Node's timers do.
    const deadline = { at: now + Math.max(ms || 0, 0), over };
    if (this.#waiting.size === 0 && this.#keepAlive) this.#timer?.ref();
    this.#waiting.add(deadline);
    if (deadline.at < this.#timerAt) this.#arm(deadline.at, now);
    return deadline;
  }

  /** Cancelling twice does nothing. */
  cancel(deadline: Deadline): void {
    this.#waiting.delete(deadline);
    if (this.#waiting.size === 0) this.#timer?.unref();
  }

  #arm(at: number, now: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(this.#fire, Math.min(Math.ceil(at - now), MAX_MS));
    if (!this.#keepAlive) this.#timer.unref();
  }

  readonly #fire = (): void => {
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    const due = this.#waiting.all().filter(({ at }) => at <= now);
    try {
      // An earlier callback may have cancelled this one.
      for (const deadline of due.toSorted((a, b) => a.at - b.at))
        if (this.#waiting.delete(deadline)) deadline.over();
    } finally {
      this.#armNext();
    }
  };

  #armNext(): void {
    let next = Number.POSITIVE_INFINITY;
    for (const { at } of this.#waiting.all()) next = Math.min(next, at);
    if (next < this.#timerAt) this.#arm(next, performance.now());
  }
}
