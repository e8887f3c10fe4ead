import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { chmod, lstat, mkdir, open, readdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { err, ok, type Result } from "../../lib/result.ts";

/** The files of a custom tool as they were read at one moment, and what stands for exactly these. */
export interface ScriptFolder {
  /** By path, sorted. */
  readonly files: readonly ScriptFile[];
  readonly sha256: string;
}

export interface ScriptFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly content: Buffer;
  readonly isExecutable: boolean;
}

/** What a look at a folder finds, without reading its files. */
export interface FolderListing {
  /** Differs whenever a file was added, removed, replaced or written to. */
  readonly version: string;
  /** The folder itself and those in it, absolute. */
  readonly folders: readonly string[];
  readonly paths: readonly string[];
}

const MAX_FILES = 200;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_DEPTH = 8;
/** Left by tools that work on a folder, not by its author: neither counted nor copied. */
const IGNORED = new Set([".git", "__pycache__", ".DS_Store"]);

/**
 * The error says what of the folder cannot be used. `folder` itself may be a symbolic link, nothing in it may; what other
 * users of the machine can write is refused, because nobody can say whose it will be when it is read.
 */
export async function listFolder(folder: string): Promise<Result<FolderListing, string>> {
  const found: { readonly path: string; readonly stats: Stats }[] = [];
  const folders: string[] = [];
  const visit = async (at: string, depth: number): Promise<string | false> => {
    if (depth > MAX_DEPTH) return `${at} is nested more than ${MAX_DEPTH} folders deep`;
    folders.push(join(folder, at));
    for (const name of (await readdir(join(folder, at))).sort()) {
      if (IGNORED.has(name)) continue;
      const path = at === "" ? name : `${at}/${name}`;
      const stats = await lstat(join(folder, path));
      const problem = problemOf(path, stats) ?? (stats.isDirectory() && (await visit(path, depth + 1)));
      if (problem !== false) return problem;
      if (!stats.isDirectory()) found.push({ path, stats });
      if (found.length + folders.length > MAX_FILES)
        return `it holds more than ${MAX_FILES} files and folders`;
    }
    return false;
  };
  try {
    const problem = problemOf("its folder", await stat(folder)) ?? (await visit("", 0));
    if (problem !== false) return err(problem);
  } catch (error) {
    return err(unreadable(error));
  }
  if (found.reduce((sum, { stats }) => sum + stats.size, 0) > MAX_BYTES) return err(TOO_LARGE);
  const paths = found.map(({ path }) => path).sort();
  return ok({ version: found.map(versionOf).join("\n"), folders, paths });
}

/** Reads every file, each by the handle that was checked, and hashes what was read. */
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
      return err(`${path}: ${unreadable(error)}`);
    }
  }
  return ok({ files, sha256: digestOf(files) });
}

/** Writes the files as they were read; `place` is there and empty. */
export async function unpack({ files }: ScriptFolder, place: string): Promise<void> {
  for (const { path, content, isExecutable } of files) {
    const file = join(place, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const mode = isExecutable ? 0o700 : 0o600;
    await writeFile(file, content, { mode, flag: "wx" });
    // A umask may have taken the owner's rights.
    await chmod(file, mode);
  }
}

const TOO_LARGE = `its files are larger than ${MAX_BYTES / 1024 ** 2} MiB together`;

async function readFile(folder: string, path: string, limit: number): Promise<ScriptFile | undefined> {
  // Not to follow a link, nor to wait for a pipe, put there since the list was made.
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
      // It grows while it is read; whatever it will be, it is not this.
      if (length === buffer.length) return undefined;
    }
    return { path, content: buffer.subarray(0, length), isExecutable: (stats.mode & 0o100) !== 0 };
  } finally {
    await handle.close();
  }
}

function digestOf(files: readonly ScriptFile[]): string {
  const hash = createHash("sha256");
  for (const { path, content, isExecutable } of files) {
    // With the lengths, so that no other set of files gives the same text.
    hash.update(JSON.stringify([path, content.length, isExecutable])).update(content);
  }
  return hash.digest("hex");
}

function problemOf(path: string, stats: Stats): string | undefined {
  if (stats.isFile() || stats.isDirectory())
    return stats.mode & 0o002
      ? `${path} can be written by every user of this machine; take that right away (chmod o-w)`
      : undefined;
  return stats.isSymbolicLink()
    ? `${path} is a symbolic link; put the file itself there`
    : `${path} is a pipe, socket or device`;
}

function versionOf({ path, stats }: { readonly path: string; readonly stats: Stats }): string {
  const { ino, size, mtimeMs, ctimeMs, mode } = stats;
  return JSON.stringify([path, ino, size, mtimeMs, ctimeMs, mode]);
}

function unreadable(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return code === "ENOENT" ? "it is not there" : `it cannot be read (${code})`;
}
