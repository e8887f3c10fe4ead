import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { systemCode } from "../../contract/system-error.ts";

/** The real location of a path. */
export interface Location {
  /** Without symbolic links. The part that does not exist is taken literally. */
  readonly real: string;
  /** Why it cannot be reached, such as ENOENT; undefined when it exists. */
  readonly problem: string | undefined;
}

const MAX_LINKS = 40;

/**
 * Follows every symbolic link of an absolute path, also dangling ones, so that a link to something absent outside
 * looks the same as a link to something present there.
 */
export async function locate(absolute: string, links = 0): Promise<Location> {
  try {
    return { real: await realpath(absolute), problem: undefined };
  } catch (thrown) {
    const problem = systemCode(thrown);
    if (problem === undefined) throw thrown;
    if (dirname(absolute) === absolute) return { real: absolute, problem };
    return locateMissing(absolute, problem, links);
  }
}

async function locateMissing(absolute: string, problem: string, links: number): Promise<Location> {
  const parent = await locate(dirname(absolute), links);
  const real = join(parent.real, basename(absolute));
  if (parent.problem !== undefined) return { real, problem: parent.problem };
  const target = await linkTarget(real);
  if (target === undefined) return { real, problem };
  return links < MAX_LINKS ? locate(resolve(parent.real, target), links + 1) : { real, problem: "ELOOP" };
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined;
  } catch {
    return undefined;
  }
}
