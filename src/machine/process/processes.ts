import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { shareRuns } from "../../lib/flow/share-runs.ts";
import { type NewId, randomId } from "../../lib/id.ts";
import { type ProcessRow, processTables, TREE_VARIABLE, treeMembers } from "./process-table.ts";
import { type Reaper, startReaper } from "./reaper.ts";

/** A child and everything it starts, ended as one: when the child ends by itself, what it left behind is ended too. */
export interface ProcessTree {
  readonly child: ChildProcess;
  /** 0 when the command could not be started. */
  readonly pid: number;
  /** Resolves once the child itself has ended; never rejects. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Asks the whole tree to end (SIGTERM), then forces it (SIGKILL) after `graceMs`; resolves when none is left. */
  end(graceMs?: number): Promise<void>;
}

export interface SpawnOptions {
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: StdioOptions;
  /** The command is the keeper of a sandbox, which takes everything in it down at once: it is never asked to end. */
  readonly isConfined?: boolean;
  /** Called once no process of the tree is left. */
  readonly onGone?: () => void;
}

/** Starts child processes so that none outlives this process, not even after `kill -9`. */
export interface Processes {
  /** Throws what `spawn` throws for an unusable command; ENOENT arrives as `child`'s error event and ends the tree. */
  spawn(command: string, args: readonly string[], options: SpawnOptions): ProcessTree;
  /** Ends every tree still alive. */
  close(): Promise<void>;
}

const GRACE_MS = 2000;
/** How long a killed tree may take to vanish before `end` gives up on it: a process in uninterruptible sleep. */
const FORCE_MS = 5000;

export function createProcesses(newId: NewId = randomId): Processes {
  const mark = newId("tree");
  const trees = new Set<ProcessTree>();
  const table = shareRuns(processTables());
  let reaper: Reaper | undefined;
  let started = 0;
  /** That of the trees that ended nothing is left. */
  let isSure = true;

  return {
    spawn(command, args, { isConfined = false, onGone, ...options }) {
      if (!reaper?.alive()) reaper = startReaper(mark, livePids());
      const treeMark = `${mark}.${++started}.`;
      const child = spawn(command, args, {
        ...options,
        env: { ...options.env, [TREE_VARIABLE]: treeMark },
        detached: true,
      });
      const tree = processTree(child, { mark: treeMark, isConfined, table }, (isGone) => {
        trees.delete(tree);
        reaper?.forget(tree.pid);
        isSure &&= isGone;
        onGone?.();
      });
      if (tree.pid !== 0) {
        reaper.watch(tree.pid);
        trees.add(tree);
      }
      return tree;
    },

    async close() {
      await Promise.all([...trees].map((tree) => tree.end()));
      await reaper?.close(isSure);
      reaper = undefined;
    },
  };

  function livePids(): number[] {
    return [...trees].map((tree) => tree.pid);
  }
}

interface TreeTraits {
  readonly mark: string;
  readonly isConfined: boolean;
  /** Every process there is, looked at after it was asked for. */
  readonly table: () => Promise<readonly ProcessRow[]>;
}

/** `onEnd` learns whether all of it is gone, or was given up on. */
function processTree(child: ChildProcess, traits: TreeTraits, onEnd: (isGone: boolean) => void): ProcessTree {
  const pid = child.pid ?? 0;
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.on("error", () => {
      if (pid === 0) resolve({ code: null, signal: null });
    });
  });
  let killAt = Number.POSITIVE_INFINITY;
  let ending: Promise<void> | undefined;

  const tree: ProcessTree = {
    child,
    pid,
    ended,
    end(graceMs = GRACE_MS) {
      killAt = Math.min(killAt, performance.now() + graceMs);
      ending ??= pid === 0 ? Promise.resolve() : endTree(pid, traits, () => killAt).then(onEnd);
      return ending;
    },
  };
  if (pid !== 0) void ended.then(() => tree.end());
  return tree;
}

/** SIGTERM once to every member but the keeper of a sandbox, SIGKILL from `killAt()` on. False: some are still there. */
async function endTree(
  pid: number,
  { mark, isConfined, table }: TreeTraits,
  killAt: () => number,
): Promise<boolean> {
  const known = new Set([pid]);
  let killedAt = Number.POSITIVE_INFINITY;
  for (let pause = 10; ; pause = Math.min(pause * 2, 200)) {
    const alive = treeMembers(await table(), known, mark);
    const now = performance.now();
    const overdue = now - killAt();
    // Counted from the first blow: on a busy machine a single look may take seconds.
    if (alive.length === 0) return true;
    if (now - killedAt >= FORCE_MS) return false;
    if (overdue >= 0) killedAt = Math.min(killedAt, now);

    const newcomers = alive.filter((member) => !known.has(member) || pause === 10);
    if (overdue >= 0) signalAll(alive, "SIGKILL", pid);
    else if (!isConfined) signalAll(newcomers, "SIGTERM", pid);
    else
      signalAll(
        newcomers.filter((member) => member !== pid),
        "SIGTERM",
      );
    for (const member of alive) known.add(member);
    await sleep(overdue < 0 ? Math.min(pause, Math.ceil(-overdue)) : pause);
  }
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals, group?: number): void {
  // The group first: it also reaches a child forked since the table was read.
  const groups = group === undefined || pids.length === 0 ? [] : [-group];
  for (const target of [...groups, ...pids]) {
    try {
      process.kill(target, signal);
    } catch {
      // Gone already, or not ours to signal; the next look at the table tells.
    }
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
