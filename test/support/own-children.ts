import { processTable } from "../../src/machine/process/process-table.ts";

/** What a worker keeps for all of its files. */
const kept = new Set<number>();

/** Processes that the code under test has started, as far as they are children of this one. */
export async function ownChildren(): Promise<number[]> {
  const rows = await processTable();
  return rows.filter(({ parent, pid }) => parent === process.pid && !kept.has(pid)).map(({ pid }) => pid);
}

/** Does not count what `start` starts. */
export async function startKept<T>(start: () => Promise<T>): Promise<T> {
  const before = new Set(await ownChildren());
  const started = await start();
  for (const pid of await ownChildren()) if (!before.has(pid)) kept.add(pid);
  return started;
}
