import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir, readlink, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { err, ok, type Result } from "../../../lib/result.ts";

export const MAX_FILES = 20_000;
export const MAX_BYTES = 256 * 1024 * 1024;

/**
 * One hash over all files in a folder: paths, contents and link targets. A link that leads out of the folder is refused,
 * because Node would follow it beyond what the plugin may read.
 */
export async function hashContent(folder: string): Promise<Result<string, string>> {
  const total = createHash("sha256");
  const root = await realpath(folder);
  let files = 0;
  let bytes = 0;
  const pending = [""];
  while (pending.length > 0) {
    const inside = pending.pop()!;
    const entries = await readdir(join(root, inside), { withFileTypes: true });
    for (const { name } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (isIgnored(name)) continue;
      const path = inside === "" ? name : `${inside}/${name}`;
      const stats = await lstat(join(root, path));
      if (stats.isDirectory()) {
        pending.push(path);
        continue;
      }
      files += 1;
      bytes += stats.size;
      if (files > MAX_FILES || bytes > MAX_BYTES)
        return err(`a plugin can have at most ${MAX_FILES} files and ${MAX_BYTES / 1024 ** 2} MiB`);
      if (stats.isSymbolicLink()) {
        if (!(await isLinkInside(root, path)))
          return err(`${path} is a link that leads out of the plugin's folder`);
        total.update(`link ${path}\0${await readlink(join(root, path))}\0`);
      } else if (stats.isFile()) {
        total.update(`file ${path}\0${await hashFile(join(root, path))}\0`);
      } else return err(`${path} is neither a file nor a folder`);
    }
  }
  return ok(total.digest("hex"));
}

/** The git history is not part of a plugin and is not copied. */
export function isIgnored(name: string): boolean {
  return name === ".git";
}

async function isLinkInside(root: string, path: string): Promise<boolean> {
  try {
    return (await realpath(join(root, path))).startsWith(root + sep);
  } catch {
    // A dangling link may lead somewhere later.
    return false;
  }
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
