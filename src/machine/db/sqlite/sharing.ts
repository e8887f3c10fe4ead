import type { DialectSharing } from "../dialect.ts";

/** A home has one process at a time, so there is no other to inform, follow or wait for. */
export const sqliteSharing: DialectSharing = {
  async raise(transaction) {
    await transaction
      .updateTable("revision")
      .set((row) => ({ value: row("value", "+", 1) }))
      .execute();
  },
  tellOfQuestion: async () => {},
  // Every transaction has taken the write lock when it began.
  lock: async () => {},
  follow: () => ({ listening: Promise.resolve(), close: async () => {} }),
  async lead(_job, work, signal) {
    if (!signal.aborted) await work(signal);
  },
  async attempt(_job, work, signal) {
    if (!signal.aborted) await work(signal);
    return true;
  },
  close: async () => {},
};
