/**
 * Where the dashboard is mounted, without a slash at the end: "" or what a proxy puts before its paths. This file is built
 * into the folder `assets` there.
 */
export const BASE = folderAbove(import.meta.url);

function folderAbove(file: string): string {
  return new URL("../", file).pathname.replace(/\/$/, "");
}
