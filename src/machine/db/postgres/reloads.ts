import { setTimeout as delay } from "node:timers/promises";
import type { ChangeKind, StoreFollower } from "../sharing.ts";

const RETRY_MS = 1_000;

/** Null: everything of the kind. */
type Due = Map<ChangeKind, ReadonlySet<string> | null>;

/** Reloads announced changes, one reload at a time. Changes announced meanwhile are reloaded together. */
export class Reloads {
  readonly #reload: StoreFollower["reload"];
  readonly #onProblem: (cause: unknown) => void;
  readonly #stop = new AbortController();
  #due: Due = new Map();
  #running: Promise<void> | undefined;

  constructor(reload: StoreFollower["reload"], onProblem: (cause: unknown) => void) {
    this.#reload = reload;
    this.#onProblem = onProblem;
  }

  /** `about`: which one of its kind; null: any. */
  add(kind: ChangeKind, about: string | null = null): void {
    const known = this.#due.get(kind);
    if (about === null || known === null) this.#due.set(kind, null);
    else this.#due.set(kind, new Set([...(known ?? []), about]));
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
      const due = this.#due;
      this.#due = new Map();
      const about = [...due].flatMap(([kind, which]) => (which === null ? [] : [[kind, which] as const]));
      try {
        await this.#reload(new Set(due.keys()), new Map(about));
      } catch (error) {
        this.#onProblem(error);
        this.#due.set("everything", null);
        await delay(RETRY_MS, undefined, { signal, ref: false }).catch(() => {});
      }
    }
    // Cleared at once, so that changes added from now on start another run.
    this.#running = undefined;
  }
}
