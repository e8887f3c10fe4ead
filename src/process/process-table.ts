import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/**
 * Set in the environment of every tree. A process that left its group and lost its parent (a double fork with
 * `setsid`) is still known by it, where `/proc` shows environments.
 */
export const TREE_VARIABLE = "PROCESS_TREE";

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The value of `PROCESS_TREE`, where it can be read. */
  readonly tree?: string;
}

/** Every process that is alive (a zombie is not), as far as this user may see them. */
export async function processTable(): Promise<ProcessRow[]> {
  return process.platform === "linux" ? await fromProc() : await fromPs();
}

/**
 * The living members of a tree: the known ones, their descendants, the members of a group one of them leads, and
 * whoever carries the mark. Pure.
 */
export function treeMembers(
  table: readonly ProcessRow[],
  known: ReadonlySet<number>,
  mark: string,
): number[] {
  const members = new Set(known);
  let size: number;
  do {
    size = members.size;
    for (const row of table) {
      if (row.tree === mark || members.has(row.parent) || members.has(row.group)) members.add(row.pid);
    }
  } while (members.size > size);
  return table.filter((row) => members.has(row.pid)).map((row) => row.pid);
}

/** As many are read before others get their turn: one takes some tens of microseconds. */
const AT_ONCE = 50;

async function fromProc(): Promise<ProcessRow[]> {
  const pids = (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry));
  const reading: Promise<ProcessRow | undefined>[] = [];
  for (const pid of pids) {
    reading.push(readProcess(pid));
    if (reading.length % AT_ONCE === 0) await nextTurn();
  }
  return (await Promise.all(reading)).filter((row) => row !== undefined);
}

async function readProcess(pid: string): Promise<ProcessRow | undefined> {
  try {
    const [stat, environment] = await readWhole(pid);
    const [state, parent, group] = stat;
    if (state === "Z" || state === "X") return undefined;
    const tree = environment
      .split("\0")
      .find((entry) => entry.startsWith(`${TREE_VARIABLE}=`))
      ?.slice(TREE_VARIABLE.length + 1);
    return { pid: Number(pid), parent: Number(parent), group: Number(group), ...(tree ? { tree } : {}) };
  } catch {
    return undefined;
  }
}

/** Of `stat`, the fields after the command: the flags, and where in its memory the environment ends. */
const FLAGS = 6;
const ENVIRONMENT_END = 48;
const KERNEL_THREAD = 0x200000;
/** A program takes its place within microseconds; one that is held up there is looked at again by whoever waits for it. */
const MOST_LOOKS = 20;

/**
 * What `/proc` says of a process, read at once: the kernel has it in memory, and a thread for each of hundreds of files
 * costs five times as much. For a moment while it becomes another program its environment reads as empty; a
 * process that left its group and lost its parent would go unrecognised if nobody looked again.
 */
async function readWhole(pid: string): Promise<readonly [stat: readonly string[], environment: string]> {
  for (let look = 1; ; look++) {
    const stat = fieldsOf(readFileSync(`/proc/${pid}/stat`, "latin1"));
    if (Number(stat[FLAGS]) & KERNEL_THREAD) return [stat, ""];
    const environment = environmentOf(pid);
    if (environment !== "" || look === MOST_LOOKS) return [stat, environment ?? ""];
    // It has an environment, an empty one, and had it before it was read.
    if (look > 1 && stat[ENVIRONMENT_END] !== "0") return [stat, environment];
    if (look > 1) await sleep(1);
  }
}

/** Undefined where this user may not see it. */
function environmentOf(pid: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return undefined;
  }
}

/** `pid (command) state parent group …`; the command may itself hold spaces and parentheses. */
function fieldsOf(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

async function fromPs(): Promise<ProcessRow[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat="], {
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length >= 4 && !fields[3]!.startsWith("Z"))
    .map(([pid, parent, group]) => ({ pid: Number(pid), parent: Number(parent), group: Number(group) }));
}
