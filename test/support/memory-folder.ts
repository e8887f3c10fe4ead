import { spawnSync } from "node:child_process";
import { accessSync, constants, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const NAME = /^toolkeep-tests-(\d+)$/;
const ENOUGH_BYTES = 4 * 2 ** 30;

/**
 * Lets this process, and whatever it starts from now on, keep temporary files in memory, where Linux has a folder for that: each of the
 * thousands of stores of a run waits for the disk at every commit, which is most of what a run waits for. What is
 * returned removes them.
 */
export function keepTemporaryFilesInMemory(): () => void {
  const before = process.env.TMPDIR;
  if (before !== undefined || !isUsable()) return () => {};
  removeAbandoned();
  const folder = join(MEMORY, `toolkeep-tests-${process.pid}`);
  mkdirSync(folder);
  process.env.TMPDIR = folder;
  return () => {
    delete process.env.TMPDIR;
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Large enough, ours to write, and programs in it may run. */
function isUsable(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ENOUGH_BYTES && mayRun();
  } catch {
    return false;
  }
}

function mayRun(): boolean {
  const script = join(MEMORY, `toolkeep-tests-${process.pid}.sh`);
  try {
    writeFileSync(script, "#!/bin/sh\n", { mode: 0o700 });
    return spawnSync(script).status === 0;
  } finally {
    rmSync(script, { force: true });
  }
}

/** Of runs that were killed. */
function removeAbandoned(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = NAME.exec(name)?.[1];
    if (pid !== undefined && !isLiving(Number(pid)))
      rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}

function isLiving(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
