import { setImmediate as nextTurn } from "node:timers/promises";

/** Long enough to get work done, short enough that other work is not delayed. */
const SLICE_MS = 5;

/**
 * Splits long work into slices. Await the returned function between steps: it yields to other work after a few
 * milliseconds and costs almost nothing before. Create one for each piece of work.
 */
export function createPace(): () => Promise<void> {
  let sliceEnds = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < sliceEnds) return;
    await nextTurn();
    sliceEnds = performance.now() + SLICE_MS;
  };
}
