import { statSync } from "node:fs";

/** Distinguishes a file or folder from another one at the same path. */
export interface FileIdentity {
  readonly device: number;
  readonly inode: number;
}

/** Undefined if the path does not exist. Never throws: a path that cannot be examined now counts as unknown. */
export function identityOf(path: string): FileIdentity | "unknown" | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && { device: found.dev, inode: found.ino };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOTDIR" ? undefined : "unknown";
  }
}

/** True if both can be the same file; always true if one of them could not be examined. */
export function isSameFile(known: Identity, found: Identity): boolean {
  if (known === undefined || known === "unknown" || found === "unknown") return true;
  return found !== undefined && known.device === found.device && known.inode === found.inode;
}

type Identity = ReturnType<typeof identityOf>;
