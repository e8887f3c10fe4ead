/**
 * Resolves with the result of `work`, or with undefined if it takes longer. The work continues then, and a later
 * failure is ignored.
 */
export async function awaitWithin<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  // After the time is up nobody handles its failure.
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
