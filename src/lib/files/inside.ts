import { sep } from "node:path";

/** True if the path is the folder or lies in it. Both must be absolute and without symbolic links. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
