import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../../contract/system-error.ts";
import { nearest } from "../../lib/nearest.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { type HeldFolder, holdFolder } from "./held-folder.ts";
import { type FilePlace, quoted, type Workspace } from "./workspace.ts";

const MIN_READ = 1_024;
const MAX_READ = 1 << 20;

export interface OpenFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
  readonly place: FilePlace;
}

/** Opens a regular file for reading; the caller closes the handle. Never blocks on a pipe or device. */
export async function openFile(workspace: Workspace, path: string): Promise<Result<OpenFile, string>> {
  const place = await workspace.find(path, "read");
  if (!place.ok) return place;
  return openPlace(workspace, place.value);
}

export async function openPlace(workspace: Workspace, place: FilePlace): Promise<Result<OpenFile, string>> {
  if (!place.exists) return err(await missing(workspace, place));
  const folder = await holdFolder(dirname(place.real));
  try {
    return await openIn(folder, place);
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return err(await missing(workspace, place));
    throw thrown;
  } finally {
    await folder.close();
  }
}

/** Reads at most `limit` bytes from the beginning, and one more if the file is longer. */
export async function readAtMost({ handle, stats }: OpenFile, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length <= limit) {
    // Expects the stated size or more: the file may have grown, and some files state no size.
    const expected = Math.max(stats.size - length, length, MIN_READ);
    const buffer = Buffer.allocUnsafe(Math.min(expected, MAX_READ, limit + 1 - length));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, length);
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(chunks, length);
}

/** Why something that is not a regular file cannot be used as one; undefined when it is one. */
export function refusalOf(stats: Stats, shown: string): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory())
    return `${quoted(shown)} is a folder; a file was expected. Use list_directory to see its files.`;
  return `${quoted(shown)} is a pipe, socket or device; only regular files can be used.`;
}

/** Opens a regular file of a folder that is held open; rejects when it is gone. */
export async function openIn(folder: HeldFolder, place: FilePlace): Promise<Result<OpenFile, string>> {
  const path = folder.at(basename(place.real));
  const before = refusalOf(await lstat(path), place.shown);
  if (before) return err(before);
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  // The path may have been replaced since, so the opened file is checked.
  const stats = await handle.stat();
  const after = refusalOf(stats, place.shown);
  if (!after) return ok({ handle, stats, place });
  await handle.close();
  return err(after);
}

async function missing(workspace: Workspace, place: FilePlace): Promise<string> {
  const folder = dirname(place.real);
  const isShown = (name: string) => workspace.rulesOn(join(folder, name)).permits();
  const names = workspace.permits(folder, "read") ? await namesIn(folder) : [];
  const wanted = basename(place.real);
  const same = names.find((name) => name.toLowerCase() === wanted.toLowerCase() && isShown(name));
  const close = same ?? nearest(wanted, names.slice(0, 5_000).filter(isShown));
  const found = `There is no file ${quoted(place.shown)}.`;
  if (close === undefined) return `${found} Use list_directory to see what exists.`;
  const hint = same === undefined ? "" : " (upper and lower case differ)";
  return `${found} Did you mean ${quoted(workspace.show(`${folder}/${close}`))}?${hint}`;
}

async function namesIn(real: string): Promise<string[]> {
  try {
    const folder = await holdFolder(real);
    return await readdir(folder.at()).finally(() => folder.close());
  } catch {
    return [];
  }
}
