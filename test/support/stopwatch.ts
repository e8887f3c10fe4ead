import { readdirSync, readFileSync } from "node:fs";

/**
 * Milliseconds since it was made, without those in which the machine kept this process, or one that it had started, waiting for a
 * core: for tests of what must not wait. What computes is measured by `work-clock.ts`.
 */
export function stopwatch(): () => number {
  const startedAt = performance.now();
  const waited = waiting();
  return () => performance.now() - startedAt - waited();
}

/** How long these processes have been kept waiting since, in milliseconds; 0 where the system does not tell. */
export function waiting(): () => number {
  const before = waitsOfThreads();
  return () => {
    let sum = 0;
    // A thread that has ended meanwhile no longer tells.
    for (const [thread, waited] of waitsOfThreads()) sum += waited - (before.get(thread) ?? 0);
    return sum;
  };
}

function waitsOfThreads(): Map<string, number> {
  const waits = new Map<string, number>();
  if (process.platform !== "linux") return waits;
  for (const pid of withDescendants(process.pid))
    for (const thread of listed(`/proc/${pid}/task`)) {
      const [, waited] = read(`/proc/${pid}/task/${thread}/schedstat`).split(" ");
      waits.set(`${pid} ${thread}`, Number(waited ?? 0) / 1_000_000);
    }
  return waits;
}

function withDescendants(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of listed("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    // Behind the name of the program, which may hold anything.
    const parent = Number(read(`/proc/${name}/stat`).split(") ").at(-1)!.split(" ")[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
