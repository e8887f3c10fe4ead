/** Below `/proc`: names that lead to another file than their own path says. */
const PROC_LINKS: ReadonlySet<string> = new Set(["root", "cwd", "exe", "fd", "map_files"]);
const DEV_LINKS: ReadonlySet<string> = new Set(["fd", "stdin", "stdout", "stderr"]);

/**
 * Whether a path leads through a link of the system that stands for any other place: `/proc/self/root/…`, `/proc/1/cwd`,
 * `/dev/fd/3`. Looked at step by step: what a later `..` takes away counts, too. `start`: where a relative one begins.
 */
export function leadsThroughSystemLink(start: string, path: string): boolean {
  if (!/proc|dev/.test(path) && !/^\/(?:proc|dev)(?:\/|$)/.test(start)) return false;
  const steps: string[] = [];
  for (const step of (path.startsWith("/") ? path : `${start}/${path}`).split("/")) {
    if (step === "" || step === ".") continue;
    if (step === "..") steps.pop();
    else {
      steps.push(step);
      if (isSystemLink(steps)) return true;
    }
  }
  return false;
}

function isSystemLink(steps: readonly string[]): boolean {
  if (steps[0] === "proc") return steps.length > 2 && PROC_LINKS.has(steps.at(-1)!);
  return steps.length === 2 && steps[0] === "dev" && DEV_LINKS.has(steps[1]!);
}
