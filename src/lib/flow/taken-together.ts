/**
 * The same function for many who ask at the same time: whoever asks while it runs shares the next run, so that nobody is
 * given what was seen before they asked.
 */
export function takenTogether<T>(take: () => Promise<T>): () => Promise<T> {
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
