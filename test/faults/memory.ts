import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "vitest";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** What is in use now, garbage left out, in MB. */
export function memory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
}

/** The same once what was in use a moment ago has been given back, which takes a few turns. */
export async function memoryAtRest(): Promise<number> {
  for (let turn = 0; turn < 2; turn++) {
    collectGarbage();
    await delay(20);
  }
  return memory();
}

/** Fails unless memory comes back to `mb` soon: what ends with a connection ends a little later than the call. */
export async function expectMemoryBelow(mb: number): Promise<void> {
  await expect.poll(memory, { timeout: 5_000, interval: 100 }).toBeLessThan(mb);
}
