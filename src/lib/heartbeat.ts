/** What a call reports its progress to. */
interface Progressing {
  progress(update: { readonly progress: number; readonly message: string }): void;
}

const EVERY_MS = 10_000;

/** Reports progress while `work` goes on, so that clients do not take a long call for a dead one. */
export async function withHeartbeat<T>(
  context: Progressing,
  message: () => string,
  work: Promise<T>,
  everyMs = EVERY_MS,
): Promise<T> {
  let beats = 0;
  const timer = setInterval(() => context.progress({ progress: ++beats, message: message() }), everyMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
