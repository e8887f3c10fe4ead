import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { chmod, lstat, mkdir, open, readdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { err, ok, type Result } from "../../lib/result.ts";

/** The files of a custom tool as read at one moment, and their hash. */
export interface ScriptFolder {
  /** Sorted by path. */
  readonly files: readonly ScriptFile[];
  readonly sha256: string;
}

export interface ScriptFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly content: Buffer;
  readonly isExecutable: boolean;
}

/** The contents of a folder, without reading its files. */
export interface FolderListing {
  /** Changes whenever a file is added, removed, replaced or modified. */
  readonly version: string;
  /** The folder itself and its subfolders, as absolute paths. */
  readonly folders: readonly string[];
  readonly paths: readonly string[];
}

const MAX_FILES = 200;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_DEPTH = 8;
/** Files created by other programs, not by the author. They are neither hashed nor copied. */
const IGNORED_NAMES = new Set([".git", "__pycache__", ".DS_Store"]);

/**
 * The error says what makes the folder unusable. `folder` itself may be a symbolic link, but nothing inside it may. Files
 * that other users can write are refused, because they could replace them before they are read.
 */
export async function listFolder(folder: string): Promise<Result<FolderListing, string>> {
  const files: { readonly path: string; readonly stats: Stats }[] = [];
  const folders: string[] = [];
  const visit = async (at: string, depth: number): Promise<string | false> => {
    if (depth > MAX_DEPTH) return `${at} is nested more than ${MAX_DEPTH} folders deep`;
    folders.push(join(folder, at));
    for (const name of (await readdir(join(folder, at))).sort()) {
      if (IGNORED_NAMES.has(name)) continue;
      const path = at === "" ? name : `${at}/${name}`;
      const stats = await lstat(join(folder, path));
      const problem = findProblem(path, stats) ?? (stats.isDirectory() && (await visit(path, depth + 1)));
      if (problem !== false) return problem;
      if (!stats.isDirectory()) files.push({ path, stats });
      if (files.length + folders.length > MAX_FILES)
        return `it contains more than ${MAX_FILES} files and folders`;
    }
    return false;
  };
  try {
    const problem = findProblem("its folder", await stat(folder)) ?? (await visit("", 0));
    if (problem !== false) return err(problem);
  } catch (error) {
    return err(explainReadError(error));
  }
  if (files.reduce((sum, { stats }) => sum + stats.size, 0) > MAX_BYTES) return err(TOO_LARGE);
  const paths = files.map(({ path }) => path).sort();
  return ok({ version: files.map(computeVersion).join("\n"), folders, paths });
}

/** Reads every file through the handle that was checked, and hashes what was read. */
export async function readFolder(folder: string): Promise<Result<ScriptFolder, string>> {
  const listing = await listFolder(folder);
  if (!listing.ok) return listing;
  const files: ScriptFile[] = [];
  let left = MAX_BYTES;
  for (const path of listing.value.paths) {
    try {
      const file = await readFile(folder, path, left);
      if (!file) return err(TOO_LARGE);
      left -= file.content.length;
      files.push(file);
    } catch (error) {
      return err(`${path}: ${explainReadError(error)}`);
    }
  }
  return ok({ files, sha256: computeDigest(files) });
}

/** Writes the files as they were read. `target` must exist and be empty. */
export async function writeFiles({ files }: ScriptFolder, target: string): Promise<void> {
  for (const { path, content, isExecutable } of files) {
    const file = join(target, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const mode = isExecutable ? 0o700 : 0o600;
    await writeFile(file, content, { mode, flag: "wx" });
    // A umask may have removed the owner's permissions.
    await chmod(file, mode);
  }
}

const TOO_LARGE = `its files exceed ${MAX_BYTES / 1024 ** 2} MiB in total`;

async function readFile(folder: string, path: string, limit: number): Promise<ScriptFile | undefined> {
  // Do not follow a link or wait for a pipe that was put there after listing.
  const handle = await open(
    join(folder, path),
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  );
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > limit) return undefined;
    const buffer = Buffer.alloc(stats.size + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
      if (bytesRead === 0) break;
      length += bytesRead;
      // The file grows while it is read, so its content is not final.
      if (length === buffer.length) return undefined;
    }
    return { path, content: buffer.subarray(0, length), isExecutable: (stats.mode & 0o100) !== 0 };
  } finally {
    await handle.close();
  }
}

function computeDigest(files: readonly ScriptFile[]): string {
  const hash = createHash("sha256");
  for (const { path, content, isExecutable } of files) {
    // Include the lengths, so that no other set of files has the same hash.
    hash.update(JSON.stringify([path, content.length, isExecutable])).update(content);
  }
  return hash.digest("hex");
}

function findProblem(path: string, stats: Stats): string | undefined {
  if (stats.isFile() || stats.isDirectory())
    return stats.mode & 0o002
      ? `every user of this machine can write ${path}; remove that permission (chmod o-w)`
      : undefined;
  return stats.isSymbolicLink()
    ? `${path} is a symbolic link; put the file itself there`
    : `${path} is a pipe, socket or device`;
}

function computeVersion({ path, stats }: { readonly path: string; readonly stats: Stats }): string {
  const { ino, size, mtimeMs, ctimeMs, mode } = stats;
  return JSON.stringify([path, ino, size, mtimeMs, ctimeMs, mode]);
}

function explainReadError(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return code === "ENOENT" ? "it does not exist" : `it cannot be read (${code})`;
}
