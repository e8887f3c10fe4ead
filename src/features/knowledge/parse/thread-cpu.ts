import { readFileSync } from "node:fs";

/** Linux counts hundredths of a second, whatever its own clock does. */
const TICK_MS = 10;
/** Of the numbers behind the name of a thread: what it used itself, and what the system did for it. */
const [USER, SYSTEM] = [11, 12];

/**
 * Milliseconds of a processor that a thread of this process has used; those of the whole process where the system does not tell, which are
 * never less. `task` is what `/proc/thread-self` says in that thread.
 */
export function threadTime(task: string | undefined): number {
  if (task !== undefined) {
    try {
      const stat = readFileSync(`/proc/${task}/stat`, "latin1");
      const numbers = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return (Number(numbers[USER]) + Number(numbers[SYSTEM])) * TICK_MS;
    } catch {
      // It has ended.
    }
  }
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
