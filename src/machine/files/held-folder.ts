import { constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";

/**
 * A folder held open, so that the names in it are looked up in the folder that was checked, whatever its path
 * means by then. Without it, somebody could put a symbolic link in its place between check and use.
 */
export interface HeldFolder {
  readonly real: string;
  /** A path for the file system functions, of the folder itself or of one name in it. */
  at(name?: string): string;
  close(): Promise<void>;
}

/** `real` is absolute and without symbolic links; rejects with ELOOP when a link stands in its place by now. */
export async function holdFolder(real: string): Promise<HeldFolder> {
  const handle = await open(real, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const link = `/proc/self/fd/${handle.fd}`;
    const actual = await readlink(link).catch(() => undefined);
    if (actual !== undefined ? actual !== real : !(await isStillThere(handle, real))) throw swapped(real);
    const base = actual === undefined ? real : link;
    return {
      real,
      at: (name) => (name === undefined ? base : join(base, name)),
      close: () => handle.close(),
    };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/** If the system cannot say what was opened (no /proc), the path must lead to the same folder. */
async function isStillThere(handle: FileHandle, real: string): Promise<boolean> {
  const [opened, named] = [await handle.stat(), await lstat(real)];
  return opened.dev === named.dev && opened.ino === named.ino && (await realpath(real)) === real;
}

function swapped(real: string): Error {
  return Object.assign(new Error(`${real} was replaced by a symbolic link`), {
    code: "ELOOP",
    syscall: "open",
  });
}
