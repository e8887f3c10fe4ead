import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

const CHECK_MS = 500;
const MAX_SHELLS = 8;
const SHELLS = new Set(["sh", "ash", "bash", "busybox", "dash", "fish", "ksh", "mksh", "zsh"]);

/**
 * Resolves when the process that started this one is gone, however it ended: nobody reports the death of a parent. A
 * shell in between only waits for this process and survives when its own parent is killed, so the parents of shells are
 * watched, too. Also resolves when `signal` aborts.
 */
export async function watchStarter(signal: AbortSignal): Promise<void> {
  const parent = process.ppid;
  const shells = await shellsFrom(parent);
  while (!signal.aborted && process.ppid === parent && (await areWhereTheyWere(shells)))
    await delay(CHECK_MS, undefined, { signal, ref: false }).catch(() => {});
}

interface FoundShell {
  readonly parent: number;
  readonly name: string;
}

/** Returns each shell on the way up with its parent, until the first process that is not a shell. */
async function shellsFrom(first: number): Promise<ReadonlyMap<number, number>> {
  const shells = new Map<number, number>();
  for (let pid = first; pid > 1 && shells.size < MAX_SHELLS; ) {
    const found = await look(pid);
    if (found === undefined || !SHELLS.has(found.name)) break;
    shells.set(pid, found.parent);
    pid = found.parent;
  }
  return shells;
}

/** A process whose parent ended gets another parent, even if the old one is still a zombie. */
async function areWhereTheyWere(shells: ReadonlyMap<number, number>): Promise<boolean> {
  for (const [pid, parent] of shells) if ((await look(pid))?.parent !== parent) return false;
  return true;
}

/** Undefined if there is no such process. */
async function look(pid: number): Promise<FoundShell | undefined> {
  try {
    if (process.platform === "linux") {
      const [, name, parent] = /^\d+ \((.*)\) \S (\d+) /s.exec(await readFile(`/proc/${pid}/stat`, "utf8"))!;
      return { parent: Number(parent), name: name! };
    }
    const { stdout } = await promisify(execFile)("ps", ["-o", "ppid=,comm=", "-p", String(pid)]);
    const [, parent, program] = /^\s*(\d+)\s+-?(.+?)\s*$/.exec(stdout)!;
    return { parent: Number(parent), name: basename(program!) };
  } catch {
    return undefined;
  }
}
