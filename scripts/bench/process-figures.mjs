// What the kernel says of a process. Reads /proc, so Linux only.
import { readdirSync, readFileSync } from "node:fs";

const PAGE_BYTES = 4096;
const MEGABYTE = 2 ** 20;

/** CPU microseconds that this process, without its children, has used so far, all of its threads together. */
export function cpuMicros(pid) {
  let nanos = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [used] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
    nanos += Number(used);
  }
  return nanos / 1_000;
}

export function rssMb(pid) {
  const [, resident] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
  return (Number(resident) * PAGE_BYTES) / MEGABYTE;
}

/** These processes and everything below them: how many there are and their RSS together. */
export function tree(pids) {
  const all = pidsBelow(pids);
  return { processes: all.length, rssMb: all.reduce((sum, pid) => sum + rssOfLiving(pid), 0) };
}

/** These processes and everything below them. */
export function pidsBelow(pids) {
  const childrenOf = new Map();
  for (const entry of readdirSync("/proc")) {
    const parent = /^\d+$/.test(entry) ? parentOf(entry) : undefined;
    if (parent !== undefined) childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(entry)]);
  }
  const withChildren = (pid) => [pid, ...(childrenOf.get(pid) ?? []).flatMap(withChildren)];
  return pids.flatMap(withChildren);
}

/** Undefined when it ended meanwhile. */
function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may contain anything.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

function rssOfLiving(pid) {
  try {
    return rssMb(pid);
  } catch {
    return 0;
  }
}
