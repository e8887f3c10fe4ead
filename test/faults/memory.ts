import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "vitest";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
/** A turn that gave back less was the last that is waited for. */
const SETTLED_MB = 0.5;

/** What is in use now, garbage left out, in MB. */
export function memory(): number {
  collectGarbage();
  return withGarbage();
}

/**
 * The same where it is `mb` or more. Below, garbage may be counted too: what is below with it is so without, and to
 * collect it takes long in a process that has loaded much.
 */
export function memoryFrom(mb: number): number {
  const most = withGarbage();
  return most < mb ? most : memory();
}

/** The same as `memory` once what was in use a moment ago has been given back, which may take a few turns. */
export async function memoryAtRest(): Promise<number> {
  let before = memory();
  for (let turn = 0; turn < 3; turn++) {
    await delay(20);
    const now = memory();
    if (before - now < SETTLED_MB) return now;
    before = now;
  }
  return before;
}

/** Fails unless memory comes back to `mb` soon: what ends with a connection ends a little later than the call. */
export async function expectMemoryBelow(mb: number): Promise<void> {
  await expect.poll(() => memoryFrom(mb), { timeout: 5_000, interval: 100 }).toBeLessThan(mb);
}

function withGarbage(): number {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
}
