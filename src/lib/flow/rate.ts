/** Allows a number of events per second. Reads the clock only when that number is reached. */
export class Rate {
  readonly #perSecond: number;
  #since = performance.now();
  #taken = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Returns false if the rate is exceeded. */
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
