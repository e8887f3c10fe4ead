/** Chance that repeats itself: the same seed gives the same throws. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  one<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  /** One of the values, each as often as its weight says. */
  weighted<T>(values: readonly (readonly [weight: number, value: T])[]): T {
    let left = this.#throw() * values.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of values) {
      left -= weight;
      if (left < 0) return value;
    }
    return values.at(-1)![1];
  }

  chance(probability: number): boolean {
    return this.#throw() < probability;
  }

  /** A whole number from 0 on. */
  below(end: number): number {
    return Math.floor(this.#throw() * end);
  }

  /** mulberry32 */
  #throw(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}
