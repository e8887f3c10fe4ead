/**
 * What this process has worked so far, in milliseconds: the clock for what computes. That on the wall also counts what a
 * busy machine does for others.
 */
export function workNow(): number {
  return process.cpuUsage().user / 1_000;
}
