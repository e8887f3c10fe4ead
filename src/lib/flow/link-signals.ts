/**
 * Aborts `controller` as soon as one of `signals` does, with its reason. What it returns takes the listeners away, and
 * must be called: a signal may stay for as long as its client does.
 */
export function linkSignals(
  controller: AbortController,
  ...signals: readonly (AbortSignal | undefined)[]
): () => void {
  const unlinks = signals.map((signal) => {
    if (!signal) return undefined;
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
    return () => signal.removeEventListener("abort", abort);
  });
  return () => {
    for (const unlink of unlinks) unlink?.();
  };
}
