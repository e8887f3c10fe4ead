import type { Clock } from "../../lib/clock.ts";
import type { Store } from "../../machine/db/store.ts";

const FRESH_MS = 1_000;
const PATIENCE_MS = 1_000;

/**
 * Whether the store can be written: on a full disk it can be read as ever. Anybody may ask at any rate: something small
 * is written once a second at most, and whoever asks waits a second at most.
 */
export class StoreCheck {
  readonly #store: Pick<Store, "checkWrite">;
  readonly #clock: Clock;
  #isReady = true;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checking: Promise<boolean> | undefined;

  constructor(store: Pick<Store, "checkWrite">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async isReady(): Promise<boolean> {
    if (Math.abs(this.#clock() - this.#checkedAt) < FRESH_MS) return this.#isReady;
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return await this.#checking;
  }

  async #check(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), PATIENCE_MS);
    });
    const answered = this.#store.checkWrite().then(
      () => true,
      () => false,
    );
    this.#isReady = await Promise.race([answered, late]);
    clearTimeout(timer);
    this.#checkedAt = this.#clock();
    return this.#isReady;
  }
}
