import { readFileSync, readlinkSync } from "node:fs";
import { setPriority } from "node:os";

/** Linux counts hundredths of a second, whatever its own clock does. */
const TICK_MS = 10;
/** The positions of user and system time among the numbers after the name of a thread. */
const [USER, SYSTEM] = [11, 12];

/**
 * Milliseconds of a processor that a thread of this process has used; those of the whole process where the system does not tell, which are
 * never less. `task` is what `/proc/thread-self` says in that thread.
 */
export function threadCpuMs(task: string | undefined): number {
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

/** Where Linux tells of this thread, below `/proc`; undefined where there is no such place. */
export function taskOfThread(): string | undefined {
  try {
    return process.platform === "linux" ? readlinkSync("/proc/thread-self") : undefined;
  } catch {
    // There is no /proc.
    return undefined;
  }
}

/** Lowers the priority of this thread, so that requests to the process come first. Only on Linux, because elsewhere it would change the whole process. */
export function lowerPriority(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(0, 10);
  } catch {
    // Some containers forbid it.
  }
}
