/** Runs work of the same key one after another, in the order it came; different keys do not wait for each other. */
export type Serial = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createSerial(): Serial {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const result = before.then(work);
    const settled = result.catch(() => {});
    last.set(key, settled);
    try {
      return await result;
    } finally {
      if (last.get(key) === settled) last.delete(key);
    }
  };
}
