import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
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
  /** The value of `PROCESS_TREE`, where it can be read; not for those that began before this process. */
  readonly tree?: string;
}

/** Every process that is alive (a zombie is not), as far as this user may see them. */
export function processTable(): Promise<ProcessRow[]> {
  return processTables()();
}

/**
 * A `processTable` for repeated use. It remembers what a program's environment said as long as the program runs:
 * reading all environments was nine tenths of the cost.
 */
export function processTables(): () => Promise<ProcessRow[]> {
  if (process.platform !== "linux") return fromPs;
  let known: Known = new Map();
  return async () => {
    const look: Look = { known, seen: new Map(), began: Number(readStat("self")[BEGAN]) };
    const rows = await fromProc(look);
    known = look.seen;
    return rows;
  };
}

/**
 * Returns the living members of a tree: the known ones, their descendants, the members of a group that one of them
 * leads, and every process with the mark. Pure.
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

/** By pid: the program, and the tree that its environment names. */
type Known = Map<string, { readonly program: string; readonly tree: string | undefined }>;

interface Look {
  readonly known: Known;
  readonly seen: Known;
  /** When this process began. */
  readonly began: number;
}

/** Processes that are read before other work gets a turn: a millisecond or two. */
const IN_ONE_TURN = 50;

async function fromProc(look: Look): Promise<ProcessRow[]> {
  const pids = (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry));
  const rows: Promise<ProcessRow | undefined>[] = [];
  for (const [index, pid] of pids.entries()) {
    if (index % IN_ONE_TURN === IN_ONE_TURN - 1) await nextTurn();
    rows.push(readProcess(pid, look));
  }
  return (await Promise.all(rows)).filter((row) => row !== undefined);
}

async function readProcess(pid: string, look: Look): Promise<ProcessRow | undefined> {
  try {
    const stat = readStat(pid);
    const [state, parent, group] = stat;
    if (state === "Z" || state === "X") return undefined;
    const last = look.known.get(pid);
    const isKnown = last?.program === programOf(stat);
    if (isKnown) look.seen.set(pid, last);
    const tree = isKnown ? last.tree : await readTree(pid, stat, look);
    return { pid: Number(pid), parent: Number(parent), group: Number(group), ...(tree ? { tree } : {}) };
  } catch {
    return undefined;
  }
}

/** Positions in `stat` after the command: the flags, the start time, and the place of the environment in memory. */
const FLAGS = 6;
const BEGAN = 19;
const ENVIRONMENT_START = 47;
const ENVIRONMENT_END = 48;
const KERNEL_THREAD = 0x200000;
/** Starting a program takes microseconds. A caller that waits for one that is held up will look again. */
const MOST_LOOKS = 20;

/**
 * Reads the tree from the environment, which is empty for a moment while a process becomes another program. Without a
 * second look, a process that left its group and lost its parent would go unrecognised.
 */
async function readTree(
  pid: string,
  first: readonly string[],
  { seen, began }: Look,
): Promise<string | undefined> {
  let stat = first;
  const remember = (environment: string) => {
    const tree = treeIn(environment);
    seen.set(pid, { program: programOf(stat), tree });
    return tree;
  };
  if (Number(stat[BEGAN]) < began || Number(stat[FLAGS]) & KERNEL_THREAD) return remember("");
  for (let look = 1; look <= MOST_LOOKS; look++) {
    const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(isForbidden);
    if (environment === undefined) return undefined;
    if (environment === true) return remember("");
    // Else it has an environment, an empty one, and had it before it was read.
    if (environment !== "" || (look > 1 && stat[ENVIRONMENT_END] !== "0")) return remember(environment);
    if (look > 1) await sleep(1);
    stat = readStat(pid);
  }
  return undefined;
}

/** True if this user may never read it; undefined if it may be readable another time. */
function isForbidden(error: NodeJS.ErrnoException): true | undefined {
  return error.code === "EACCES" || error.code === "EPERM" || undefined;
}

function treeIn(environment: string): string | undefined {
  const named = environment.split("\0").find((entry) => entry.startsWith(`${TREE_VARIABLE}=`));
  return named?.slice(TREE_VARIABLE.length + 1);
}

/** A pid can be reused, and a process can become another program with its memory elsewhere. */
function programOf(stat: readonly string[]): string {
  return `${stat[BEGAN]} ${stat[ENVIRONMENT_START]} ${stat[ENVIRONMENT_END]}`;
}

/** Synchronous: this file is available without waiting, and a thread for each would take longer than the read. */
function readStat(pid: string): readonly string[] {
  return fieldsOf(readFileSync(`/proc/${pid}/stat`, "utf8"));
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
