/** Lets a number of things pass in each second. */
export class Rate {
  readonly #perSecond: number;
  #second = 0;
  #taken = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** False for one too many. */
  take(): boolean {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) this.#taken = 0;
    this.#second = second;
    if (this.#taken >= this.#perSecond) return false;
    this.#taken++;
    return true;
  }
}
