import { mkdir, readdir, readFile, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Limits of a confined program; null: no limit. */
export interface SandboxLimits {
  /** For each process. */
  readonly memoryMb: number | null;
  /** For the whole tree. */
  readonly processes: number | null;
  /** For each process, in seconds of processor time. */
  readonly cpuSecs: number | null;
  /** The longest file that it may write, and how much fits into its /tmp. */
  readonly fileMb: number | null;
}

export const NO_LIMITS: SandboxLimits = { memoryMb: null, processes: null, cpuSecs: null, fileMb: null };

/** A start is itself a process in the sandbox; the other two stand around it. */
const INIT = 1;
const AROUND = 3;
const GROUP_PREFIX = "toolkeep-";
const LEFT_BEHIND_MS = 60_000;

/**
 * A command that sets limits for itself, then becomes the rest of its arguments. Memory is counted as data, because the
 * address space of Node.js says nothing about what it uses. The count of processes is that of the sandbox's own user
 * namespace; it does not hold for root, who needs a control group.
 */
export function limitedCommand(
  { memoryMb, processes, cpuSecs, fileMb }: SandboxLimits,
  isRoot: boolean,
): string[] {
  const count = processes === null ? 0 : processes + INIT;
  const steps = [
    ...(memoryMb === null ? [] : [limit("d", memoryMb * 1024)]),
    ...(processes === null || isRoot ? [] : [processLimit(count)]),
    ...(cpuSecs === null ? [] : [limit("t", cpuSecs)]),
    ...(fileMb === null ? [] : [limit("f", fileMb * 2048)]),
  ];
  if (steps.length === 0) return [];
  return ["/bin/sh", "-c", `${steps.join(" && ")} || exit 126\nexec "$@"`, "limits"];
}

/** A lower limit of the machine still applies. */
function limit(letter: string, most: number): string {
  return `{ ulimit -${letter} ${most} 2>/dev/null || [ "$(ulimit -${letter})" != unlimited ]; }`;
}

/** Some shells use one letter, the rest the other. */
function processLimit(most: number): string {
  const there = "$(ulimit -u 2>/dev/null || ulimit -p)";
  return `{ ulimit -p ${most} 2>/dev/null || ulimit -u ${most} 2>/dev/null || [ "${there}" != unlimited ]; }`;
}

/** A control group that counts processes. */
export interface ProcessGroup {
  /** Joins the group, then becomes the rest of its arguments. */
  readonly command: readonly string[];
  /** Call it when none of its processes is left. Never rejects. */
  remove(): Promise<void>;
}

/** Only root may create one; undefined if not even root can. */
export async function createProcessGroup(name: string, processes: number): Promise<ProcessGroup | undefined> {
  const parent = await groupFolder();
  if (parent === undefined) return undefined;
  const folder = join(parent, `${GROUP_PREFIX}${name}`);
  const isMade = await mkdir(folder).then(
    () => true,
    () => false,
  );
  if (!isMade) return undefined;
  const entering = `echo ${processes + AROUND} > "$1/pids.max" && echo $$ > "$1/cgroup.procs" || exit 126`;
  return {
    command: ["/bin/sh", "-c", `${entering}\nshift\nexec "$@"`, "group", folder],
    remove: () => rmdir(folder).catch(() => undefined),
  };
}

/** Removes the empty groups that a killed process left, but none that somebody is about to enter. Never rejects. */
export async function removeLeftGroups(now: number): Promise<void> {
  const parent = await groupFolder();
  if (parent === undefined) return;
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((name) => name.startsWith(GROUP_PREFIX))) {
    const folder = join(parent, name);
    const found = await stat(folder).catch(() => undefined);
    if (found && now - found.mtimeMs > LEFT_BEHIND_MS) await rmdir(folder).catch(() => undefined);
  }
}

/** Returns the folder for new groups: the group of this process, or its parent if a group cannot hold both. */
async function groupFolder(): Promise<string | undefined> {
  const own = await readFile("/proc/self/cgroup", "utf8").catch(() => "");
  const counting = /^\d+:[^:]*\bpids\b[^:]*:(\/.*)$/m.exec(own)?.[1];
  if (counting !== undefined) return join("/sys/fs/cgroup/pids", counting);
  const unified = /^0::(\/.*)$/m.exec(own)?.[1];
  if (unified === undefined) return undefined;
  const folder = join("/sys/fs/cgroup", dirname(unified));
  const controllers = await readFile(join(folder, "cgroup.subtree_control"), "utf8").catch(() => "");
  return controllers.split(/\s+/).includes("pids") ? folder : undefined;
}
