import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

const CHECK_MS = 500;
const MAX_SHELLS = 8;
const SHELLS = new Set(["sh", "ash", "bash", "busybox", "dash", "fish", "ksh", "mksh", "zsh"]);

/**
 * Resolves when whoever started this process is gone, however that ended: nobody is told of a parent that was killed.
 * A shell in between only waits for this process, and stays when the one who started the shell is killed; so the
 * parents of shells are watched, too. Resolves when `signal` says so as well.
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

/** Each shell on the way up, with its parent; ends at the first that is none. */
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

/** A process whose parent ended gets another one, also where nobody has buried the old one yet. */
async function areWhereTheyWere(shells: ReadonlyMap<number, number>): Promise<boolean> {
  for (const [pid, parent] of shells) if ((await look(pid))?.parent !== parent) return false;
  return true;
}

/** Undefined where there is no such process. */
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
