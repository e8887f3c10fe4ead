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

/**
 * Calls back after a while, for what is nearly always over before: one timer for all of them, which stays where it is
 * when they come and go. A timer for each would be a tenth of what a call costs when it is the only one.
 */
export class Deadlines {
  readonly #waiting = new FleetingSet<Deadline>();
  readonly #keepAlive: boolean;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor({ keepAlive = true }: DeadlinesOptions = {}) {
    this.#keepAlive = keepAlive;
  }

  /** `over` must not throw. */
  after(ms: number, over: () => void): Deadline {
    const now = performance.now();
    const deadline = { at: now + ms, over };
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
    this.#timer = setTimeout(this.#fire, Math.ceil(at - now));
    if (!this.#keepAlive) this.#timer.unref();
  }

  readonly #fire = (): void => {
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    const due: Deadline[] = [];
    for (const deadline of this.#waiting.all()) {
      if (deadline.at <= now) due.push(deadline);
      else next = Math.min(next, deadline.at);
    }
    for (const deadline of due) this.#waiting.delete(deadline);
    if (next !== Number.POSITIVE_INFINITY) this.#arm(next, now);
    for (const { over } of due) over();
  };
}
