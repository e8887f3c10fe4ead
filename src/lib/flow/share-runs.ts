/**
 * Shares runs of a function between callers. A call during a run joins the next run, so that no caller gets a result
 * older than its call.
 */
export function shareRuns<T>(take: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const start = () => {
    next = undefined;
    const taken = take().finally(() => {
      if (running === taken) running = undefined;
    });
    running = taken;
    return taken;
  };
  return () => {
    if (!running) return start();
    next ??= running.then(start, start);
    return next;
  };
}
