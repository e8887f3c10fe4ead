/** Lets a number of things pass in each second. Looks at the clock only once as many have passed. */
export class Rate {
  readonly #perSecond: number;
  #since = performance.now();
  #taken = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** False for one too many. */
  take(): boolean {
    if (this.#taken >= this.#perSecond) {
      const now = performance.now();
      if (now - this.#since < 1000) return false;
      this.#since = now;
      this.#taken = 0;
    }
    this.#taken++;
    return true;
  }
}
