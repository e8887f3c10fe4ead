/**
 * The path that the dashboard is mounted under, without a trailing slash: "" or a proxy's prefix. Derived from this file's own
 * URL, because the build puts it into `assets/` below that path.
 */
export const BASE = folderAbove(import.meta.url);

function folderAbove(file: string): string {
  return new URL("../", file).pathname.replace(/\/$/, "");
}
