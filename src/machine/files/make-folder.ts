import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** No path has more parts than this that is not there yet. */
const MAX_DEPTH = 64;

/**
 * Makes a folder and what is missing above it, for its user only; does nothing where it is there. Node's own
 * `recursive` never ends where a file system such as `/proc` says that a parent is missing which is there. Rejects with
 * the error of the system, with ENOTDIR where something else is in the way.
 */
export async function makeFolder(path: string, mode = 0o700, depth = 0): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return await mustBeFolder(path);
    const parent = dirname(path);
    if (code !== "ENOENT" || parent === path || depth >= MAX_DEPTH) throw error;
    // Where it is there, somebody else has just made it, or the system wants no folder in it and says so again.
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
