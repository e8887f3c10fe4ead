/**
 * Aborts `controller` with the reason of the first of `signals` that aborts. Call the returned function to remove the
 * listeners: a signal may live as long as its client.
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
