/** The rate covers this many milliseconds. */
const RATE_MS = 5_000;

/** Measures how fast a count rises. */
export class RecentRate {
  readonly #marks: { readonly at: number; readonly count: number }[];

  constructor(at: number) {
    this.#marks = [{ at, count: 0 }];
  }

  mark(at: number, count: number): void {
    this.#marks.push({ at, count });
    // Two marks always stay, so that there is a rate even if counts are rare.
    while (this.#marks.length > 2 && at - this.#marks[0]!.at > RATE_MS) this.#marks.shift();
  }

  /** To one decimal; 0 before the second mark. */
  get perSecond(): number {
    const [first, last] = [this.#marks[0]!, this.#marks.at(-1)!];
    if (last.at <= first.at) return 0;
    return Math.round(((last.count - first.count) * 10_000) / (last.at - first.at)) / 10;
  }
}
