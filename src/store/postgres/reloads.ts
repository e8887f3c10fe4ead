import { setTimeout as delay } from "node:timers/promises";
import type { ChangeKind, StoreFollower } from "../sharing.ts";

const RETRY_MS = 1_000;

/** Reloads what was announced, one reload at a time; what is announced meanwhile is reloaded together. */
export class Reloads {
  readonly #reload: StoreFollower["reload"];
  readonly #onProblem: (cause: unknown) => void;
  readonly #stop = new AbortController();
  #due = new Set<ChangeKind>();
  #running: Promise<void> | undefined;

  constructor(reload: StoreFollower["reload"], onProblem: (cause: unknown) => void) {
    this.#reload = reload;
    this.#onProblem = onProblem;
  }

  add(kind: ChangeKind): void {
    this.#due.add(kind);
    this.#running ??= this.#run();
  }

  /** Waits for the reload under way. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (this.#due.size > 0 && !signal.aborted) {
      const kinds = this.#due;
      this.#due = new Set();
      try {
        await this.#reload(kinds);
      } catch (error) {
        this.#onProblem(error);
        this.#due.add("everything");
        await delay(RETRY_MS, undefined, { signal, ref: false }).catch(() => {});
      }
    }
    // At once: what is added from now on starts anew.
    this.#running = undefined;
  }
}
