import { readFileSync } from "node:fs";

/**
 * How long the machine has kept a process waiting for a core so far, in milliseconds; 0 where the system does not tell. It is
 * left out where a test is about how fast a process is, not about what else the machine does.
 */
export function keptWaiting(pid: number): number {
  try {
    const [, waited] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
    return Number(waited) / 1_000_000;
  } catch {
    return 0;
  }
}
