import { systemClock } from "../../src/lib/clock.ts";
import { randomId } from "../../src/lib/id.ts";
import { createSandbox, type Sandbox } from "../../src/machine/process/sandbox.ts";

export function testSandbox(home: string, env: NodeJS.ProcessEnv = process.env): Sandbox {
  return createSandbox({ home, env, clock: systemClock, newId: randomId });
}

/** Whether programs can be confined here; `scripts/prepare.mjs --test` brings bubblewrap where it can. */
export async function hasSandbox(): Promise<boolean> {
  const works = await testSandbox("/nowhere").check();
  if (!works.ok) console.warn(`The tests of the sandbox are left out: ${works.error}`);
  return works.ok;
}
