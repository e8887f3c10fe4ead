import { setImmediate as nextTurn } from "node:timers/promises";

/** Long enough to get work done, short enough that nobody else notices. */
const SLICE_MS = 5;

/**
 * For work of unknown length: awaited between its steps, lets everything else have its turn whenever a slice of a few
 * milliseconds is used up, and costs next to nothing before. One per piece of work.
 */
export function createPace(): () => Promise<void> {
  let sliceEnds = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < sliceEnds) return;
    await nextTurn();
    sliceEnds = performance.now() + SLICE_MS;
  };
}
