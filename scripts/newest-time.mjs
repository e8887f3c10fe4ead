import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The latest modification time of files and everything in folders. */
export function newestTime(paths) {
  return Math.max(...paths.map(timeOf));
}

function timeOf(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => timeOf(join(path, name))));
}
