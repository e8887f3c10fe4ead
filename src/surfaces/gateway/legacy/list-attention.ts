import type { Clock } from "../../../lib/clock.ts";

/** A client that looks at a changed list at all does so at once. */
const LOOKS_WITHIN_MS = 1_000;

/** Whether a client looks at its tool list when it is told that it is another now. Some never do. */
export class ListAttention {
  readonly #clock: Clock;
  /** Since when it could have looked, and did not; undefined: it knows the list. */
  #toldAt: number | undefined;
  #keepsList = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** It goes on calling tools without having looked. */
  get keepsList(): boolean {
    return this.#keepsList;
  }

  told(): void {
    this.#toldAt ??= this.#clock();
  }

  /** Takes note of a request. */
  heard(method: string): void {
    if (method === "tools/list") {
      this.#toldAt = undefined;
      this.#keepsList = false;
    } else if (method === "tools/call" && this.#toldAt !== undefined) {
      if (this.#clock() - this.#toldAt >= LOOKS_WITHIN_MS) this.#keepsList = true;
    }
  }
}
