import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** No path has more parts than this that is not there yet. */
const MAX_DEPTH = 64;

/**
 * Creates a folder and its missing parents for this user only; does nothing if it exists. Node's own `recursive` never
 * ends on a file system such as `/proc` that reports an existing parent as missing. Rejects with the system's error, or
 * ENOTDIR if something else is in the way.
 */
export async function makeFolder(path: string, mode = 0o700, depth = 0): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return await mustBeFolder(path);
    const parent = dirname(path);
    if (code !== "ENOENT" || parent === path || depth >= MAX_DEPTH) throw error;
    // If the parent exists, another process has just created it, or the system refuses folders there and says so again.
    if (!(await isThere(parent))) await makeFolder(parent, mode, depth + 1);
    await mkdir(path, { mode }).catch(async (again: NodeJS.ErrnoException) => {
      if (again.code !== "EEXIST") throw again;
      await mustBeFolder(path);
    });
  }
}

async function mustBeFolder(path: string): Promise<void> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false, // a link that leads nowhere
  );
  if (!isFolder) {
    const message = `${path} is no folder: a file, or a link that leads nowhere, is in the way`;
    throw Object.assign(new Error(message), { code: "ENOTDIR", path });
  }
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
