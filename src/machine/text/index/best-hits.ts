/** The few best of many, by score; equal ones by what `comesBefore` says. Adding one costs little however many are kept. */
export class BestHits {
  readonly #limit: number;
  readonly #comesBefore: (one: number, other: number) => boolean;
  /** A heap with the worst on top. */
  readonly #items: number[] = [];
  readonly #scores: number[] = [];

  constructor(limit: number, comesBefore: (one: number, other: number) => boolean) {
    this.#limit = Math.max(0, Math.trunc(limit));
    this.#comesBefore = comesBefore;
  }

  add(item: number, score: number): void {
    const size = this.#items.length;
    if (size < this.#limit) {
      this.#items.push(item);
      this.#scores.push(score);
      this.#rise(size);
    } else if (size > 0 && this.#isBetter(item, score, 0)) {
      this.#set(0, item, score);
      this.#sink(0);
    }
  }

  /** Best first. */
  sorted(): { readonly item: number; readonly score: number }[] {
    const hits = this.#items.map((item, at) => ({ item, score: this.#scores[at]! }));
    return hits.sort((a, b) => b.score - a.score || (this.#comesBefore(a.item, b.item) ? -1 : 1));
  }

  #isBetter(item: number, score: number, at: number): boolean {
    const other = this.#scores[at]!;
    return score > other || (score === other && this.#comesBefore(item, this.#items[at]!));
  }

  #rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#isBetter(this.#items[at]!, this.#scores[at]!, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(from: number): void {
    let at = from;
    for (;;) {
      let worst = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child >= this.#items.length) continue;
        if (this.#isBetter(this.#items[worst]!, this.#scores[worst]!, child)) worst = child;
      }
      if (worst === at) return;
      this.#swap(at, worst);
      at = worst;
    }
  }

  #swap(one: number, other: number): void {
    const [item, score] = [this.#items[one]!, this.#scores[one]!];
    this.#set(one, this.#items[other]!, this.#scores[other]!);
    this.#set(other, item, score);
  }

  #set(at: number, item: number, score: number): void {
    this.#items[at] = item;
    this.#scores[at] = score;
  }
}
