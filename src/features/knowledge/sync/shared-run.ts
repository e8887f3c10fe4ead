import type { SyncOutcome, SyncProgress } from "../contract.ts";
import type { SyncRequest } from "../knowledge.ts";

type Joined = Pick<SyncRequest, "signal" | "onProgress">;

/** A sync that has not started yet and is shared by several requests. It is cancelled when all of them are. */
export class SharedRun {
  readonly #stop = new AbortController();
  readonly #joined = new Set<Joined>();
  readonly #outcome: Promise<SyncOutcome>;

  constructor(run: (request: Required<Joined>) => Promise<SyncOutcome>) {
    const onProgress = (progress: SyncProgress) => {
      for (const joined of this.#joined) joined.onProgress?.(progress);
    };
    this.#outcome = run({ signal: this.#stop.signal, onProgress });
    // Those who joined receive the rejection.
    this.#outcome.catch(() => {});
  }

  async join(joined: Joined): Promise<SyncOutcome> {
    const { signal } = joined;
    signal?.throwIfAborted();
    this.#joined.add(joined);
    let leave: () => void = () => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal?.reason);
      signal?.addEventListener("abort", leave, { once: true });
    });
    try {
      return await Promise.race([this.#outcome, left]);
    } finally {
      signal?.removeEventListener("abort", leave);
      this.#joined.delete(joined);
      if (this.#joined.size === 0) this.#stop.abort(new Error("nobody waits for it any more"));
    }
  }
}
