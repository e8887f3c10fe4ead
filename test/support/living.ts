import { processTable } from "../../src/machine/process/process-table.ts";

/** Which of these processes are alive; a zombie is not. */
export async function living(pids: readonly number[]): Promise<number[]> {
  const alive = new Set((await processTable()).map((row) => row.pid));
  return pids.filter((pid) => alive.has(pid));
}
