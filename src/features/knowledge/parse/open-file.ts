import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync } from "node:fs";
import { isInside } from "../../../lib/files/inside.ts";
import { reasonOf } from "../sources/reason.ts";
import { Unreadable } from "./parsed-document.ts";

/** A file held open for reading. Its thread waits while it is read. */
export interface OpenFile {
  readonly fd: number;
  readonly size: number;
  readonly modifiedAt: number;
}

/** The file could not be read now; a later attempt may succeed. */
export class NotNow extends Error {}

/**
 * Opens a file of a source and passes it to `use`. Accepts only a regular file that is inside `root` after opening, because
 * somebody who can write there might have replaced a folder by a link. Never waits for a pipe. Throws `NotNow`, and
 * `Unreadable` if the file is too large.
 */
export async function withFile<R>(
  path: string,
  { root, maxBytes }: { readonly root: string; readonly maxBytes: number },
  use: (file: OpenFile) => R | Promise<R>,
): Promise<R> {
  const fd = opened(path);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new NotNow("it is not a regular file");
    if (!isInside(root, realPathOf(fd, path))) throw new NotNow("it leads out of the source");
    if (stats.size > maxBytes)
      throw new Unreadable(
        `it has ${megabytes(stats.size)} MB; files of up to ${megabytes(maxBytes)} MB are read`,
      );
    return await use({ fd, size: stats.size, modifiedAt: Math.floor(stats.mtimeMs) });
  } finally {
    closeSync(fd);
  }
}

/** The first `most` bytes of it, or all, as far as they were there when it was opened. */
export function readStart({ fd, size }: OpenFile, most = size): Uint8Array {
  const bytes = Buffer.allocUnsafe(Math.min(size, most));
  let length = 0;
  while (length < bytes.length) {
    const count = readAt(fd, bytes.subarray(length), length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

/** Reads from `position` on in pieces; a piece is valid until the next one. */
export function* piecesFrom({ fd, size }: OpenFile, position: number): Generator<Uint8Array> {
  const piece = Buffer.allocUnsafe(PIECE);
  for (let at = position; at < size; ) {
    const count = readAt(fd, piece.subarray(0, Math.min(PIECE, size - at)), at);
    if (count === 0) return;
    at += count;
    yield piece.subarray(0, count);
  }
}

const PIECE = 1024 * 1024;

export function readAt(fd: number, into: Uint8Array, position: number): number {
  try {
    return readSync(fd, into, 0, into.length, position);
  } catch (error) {
    throw new NotNow(reasonOf(error));
  }
}

function opened(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw new NotNow(reasonOf(error, path));
  }
}

/** The real path of the open file if the system can tell, otherwise that of the path now. */
function realPathOf(fd: number, path: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return realpathSync(path);
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 100_000) / 10;
}
