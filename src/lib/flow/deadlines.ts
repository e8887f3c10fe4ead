import { FleetingSet } from "./fleeting-set.ts";

/** Something that happens at its time unless it is taken back before. */
export interface Deadline {
  readonly at: number;
  readonly over: () => void;
}

export interface DeadlinesOptions {
  /** Whether what waits keeps the process alive; default true. */
  readonly keepAlive?: boolean;
}

/** The longest that a timer of Node waits. */
const MAX_MS = 2 ** 31 - 1;

/**
 * Calls back after a while, for what is nearly always over before: one timer for all of them, which stays where it is
 * when they come and go. Timers of their own would be set and cleared with every call.
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
    // As a timer of Node takes it: what is no number is over at once.
    const deadline = { at: now + Math.max(ms || 0, 0), over };
    if (this.#waiting.size === 0 && this.#keepAlive) this.#timer?.ref();
    this.#waiting.add(deadline);
    if (deadline.at < this.#timerAt) this.#arm(deadline.at, now);
    return deadline;
  }

  /** A second time does nothing. */
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
      // One that came before may have taken it back.
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
