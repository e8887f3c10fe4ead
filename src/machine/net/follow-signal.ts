export interface Follower {
  readonly signal: AbortSignal | null;
  /** Has to be called once nothing is left to abort. */
  readonly release: () => void;
}

/**
 * A signal for one request that aborts with `signal`. Fetch leaves its listener on a signal until the garbage is
 * collected, thousands of them on one that outlives its requests; this one is taken off by `release`.
 */
export function followSignal(signal: AbortSignal | null): Follower {
  if (signal === null || signal.aborted) return { signal, release: () => {} };
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  return { signal: controller.signal, release: () => signal.removeEventListener("abort", abort) };
}
