import { spawn } from "node:child_process";
import { TREE_VARIABLE } from "./process-table.ts";

/**
 * A shell of about 1 MB that outlives this process by moments. A pipe tells it which process trees are alive. When the
 * pipe closes, however this process ended, it ends the rest of them, and itself.
 */
export interface Reaper {
  alive(): boolean;
  /** The pid is on its way to the reaper before this returns. */
  watch(pid: number): void;
  forget(pid: number): void;
  /** Resolves once the reaper has ended. Only for when no tree is left; `isSure` saves it a last look at every process. */
  close(isSure: boolean): Promise<void>;
}

/** `mark` begins the PROCESS_TREE of every tree; `pids` are the trees that live already. */
export function startReaper(mark: string, pids: readonly number[]): Reaper {
  const child = spawn("/bin/sh", ["-c", SCRIPT, "toolkeep-reaper", `${TREE_VARIABLE}=${mark}\\.`], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    cwd: "/",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" },
  });
  let alive = true;
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      alive = false;
      resolve();
    };
    child.once("exit", end);
    child.once("error", end);
  });
  child.stdin.on("error", () => {
    alive = false;
  });
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();

  const reaper: Reaper = {
    alive: () => alive,
    // Node writes a short line to a local pipe within the call, so a `kill -9` right after finds it delivered.
    watch: (pid) => void (alive && child.stdin.write(`+ ${pid}\n`)),
    forget: (pid) => void (alive && child.stdin.write(`- ${pid}\n`)),
    async close(isSure) {
      child.ref();
      child.stdin.end(isSure ? "end\n" : "");
      await ended;
    },
  };
  for (const pid of pids) reaper.watch(pid);
  return reaper;
}

/**
 * POSIX shell, for Linux (with or without `ps`) and macOS. `$1` is a pattern for the environment of our children.
 * Members found once stay members, because their children lose their parent when it ends.
 */
const SCRIPT = String.raw`
trap '' INT TERM HUP
trees=
while read -r sign pid; do
  [ "$sign" != end ] || exit 0
  others=
  for tree in $trees; do [ "$tree" = "$pid" ] || others="$others $tree"; done
  trees=$others
  [ "$sign" = - ] || trees="$trees $pid"
done

table() {
  if [ -r /proc/self/stat ]; then
    cat /proc/[0-9]*/stat 2>/dev/null | sed -n 's/^\([0-9]*\) (.*) [^ZX] \([0-9]*\) \([0-9]*\) .*/\1 \2 \3/p'
  else
    ps -A -o pid=,ppid=,pgid=,stat= | awk '$4 !~ /^Z/ { print $1, $2, $3 }'
  fi
}

marked() {
  [ -r /proc/self/environ ] || return
  grep -ls -e "$1" /proc/[0-9]*/environ 2>/dev/null | sed -n 's|^/proc/\([0-9]*\)/.*|\1|p'
}

members() {
  table | awk -v known="$trees $(marked "$1" | tr '\n' ' ')" '
    { parent[$1] = $2; group[$1] = $3 }
    END {
      count = split(known, list, " ")
      for (i = 1; i <= count; i++) tree[list[i]] = 1
      do {
        grew = 0
        for (pid in parent)
          if (!(pid in tree) && ((parent[pid] in tree) || (group[pid] in tree))) { tree[pid] = 1; grew = 1 }
      } while (grew)
      for (pid in tree) if (pid in parent) printf "%s ", pid
    }'
}

pause() { sleep 0.2 2>/dev/null || sleep 1; }

round=0
quiet=
while [ $round -lt 20 ]; do
  alive=$(members "$1")
  if [ -z "$alive" ]; then
    # Twice: the environment of a process that is about to become another program reads as empty.
    if [ -z "$trees" ] || [ -n "$quiet" ]; then exit 0; fi
    quiet=yes
    pause
    continue
  fi
  quiet=
  trees="$trees $alive"
  if [ $round -eq 0 ]; then kill -TERM $alive 2>/dev/null
  elif [ $round -ge 5 ]; then kill -KILL $alive 2>/dev/null
  fi
  round=$((round + 1))
  pause
done
`;
