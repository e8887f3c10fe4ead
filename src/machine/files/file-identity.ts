import { statSync } from "node:fs";

/** What tells a file or folder from another at the same path. */
export interface FileIdentity {
  readonly device: number;
  readonly inode: number;
}

/** Undefined where there is nothing at the path. Throws nothing: what cannot be looked at now counts as unknown. */
export function identityOf(path: string): FileIdentity | "unknown" | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && { device: found.dev, inode: found.ino };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOTDIR" ? undefined : "unknown";
  }
}

/** Whether what is found may be what is known: where that could not be looked at, it may. */
export function isSameFile(known: Identity, found: Identity): boolean {
  if (known === undefined || known === "unknown" || found === "unknown") return true;
  return found !== undefined && known.device === found.device && known.inode === found.inode;
}

type Identity = ReturnType<typeof identityOf>;
