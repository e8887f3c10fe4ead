/** Receives the progress of a call. */
interface Progressing {
  progress(update: { readonly progress: number; readonly message: string }): void;
}

/** People who wait longer than this start to wonder. */
const FIRST_MS = 2_000;
const EVERY_MS = 10_000;

/**
 * Reports progress while `work` runs, first after two seconds, so that clients do not take a long call for a dead one.
 */
export async function withHeartbeat<T>(
  context: Progressing,
  message: () => string,
  work: Promise<T>,
  everyMs = EVERY_MS,
): Promise<T> {
  let beats = 0;
  const beat = () => {
    context.progress({ progress: ++beats, message: message() });
    timer = setTimeout(beat, everyMs);
  };
  let timer = setTimeout(beat, Math.min(FIRST_MS, everyMs));
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
