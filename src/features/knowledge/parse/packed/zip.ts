import { inflateRawSync } from "node:zlib";
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from "yauzl";
import { Unreadable } from "../parsed-document.ts";

/** Reads bytes from a place; fewer where there are no more. */
export type ReadBytes = (position: number, length: number) => Uint8Array;

export interface ZipEntry {
  /** With `/`, as the archive has it; never used as a path. */
  readonly name: string;
  readonly modifiedAt: number | undefined;
  /** Rejects with `Unreadable` where it is more than `most` bytes, whatever the archive says. */
  read(most: number): Promise<Uint8Array>;
}

const MAX_ENTRIES = 200_000;
const MAX_DIRECTORY = 128 * 1024 * 1024;

/** The files of an archive, in its order; nothing is unpacked before it is read. Rejects with `Unreadable`. */
export async function zipEntries(size: number, read: ReadBytes): Promise<ZipEntry[]> {
  const reader = new ArchiveReader(read);
  // A name that leads out of a folder must not cost the whole archive, so names are not for yauzl to check, nor are sizes.
  const options = { autoClose: false, decodeStrings: false, validateEntrySizes: false };
  const archive = await orBroken(reader, fromRandomAccessReaderPromise(reader, size, options));
  const tooMany = () => new Unreadable("the archive holds too many files");
  if (archive.entryCount > MAX_ENTRIES) throw tooMany();
  const entries: ZipEntry[] = [];
  let directoryLeft = MAX_DIRECTORY;
  const listed = archive.eachEntry();
  for (;;) {
    const { done, value: entry } = await orBroken(reader, listed.next());
    if (done) return entries;
    directoryLeft -= 46 + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    if (directoryLeft < 0) throw tooMany();
    const name = entry.fileNameRaw.toString("utf8");
    if (name.endsWith("/")) continue;
    entries.push({
      name,
      modifiedAt: modifiedAt(entry),
      read: (most) => unpack(archive, reader, entry, most),
    });
  }
}

/** Where a buffer is the archive. */
export function bytesOf(bytes: Uint8Array): ReadBytes {
  return (position, length) => bytes.subarray(position, position + length);
}

class ArchiveReader extends RandomAccessReader {
  readonly readBytes: ReadBytes;
  /** Why bytes could not be read, which is no fault of the archive. */
  failure: unknown;

  constructor(readBytes: ReadBytes) {
    super();
    this.readBytes = readBytes;
  }

  override read(
    into: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    let bytes: Uint8Array;
    try {
      bytes = this.readBytes(position, length);
    } catch (error) {
      this.failure = error;
      callback(error as Error);
      return;
    }
    into.set(bytes, offset);
    callback(bytes.length < length ? new Error("the archive ends too early") : null);
  }
}

async function orBroken<T>(reader: ArchiveReader, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch {
    throw reader.failure ?? broken();
  }
}

function broken(): Unreadable {
  return new Unreadable("it is not a ZIP archive, or a broken one");
}

/** Inflated here and not by yauzl's streams: zlib itself stops at the limit, before more is in memory. */
async function unpack(
  archive: ZipFile,
  reader: ArchiveReader,
  entry: Entry,
  most: number,
): Promise<Uint8Array> {
  if (entry.isEncrypted()) throw new Unreadable("it is locked with a password");
  const tooLarge = () => new Unreadable(`a file in it has more than ${Math.round(most / 1_000_000)} MB`);
  const { compressedSize, uncompressedSize, compressionMethod } = entry;
  if (uncompressedSize > most || compressedSize > most) throw tooLarge();
  const header = archive.readLocalFileHeaderPromise(entry, { minimal: true });
  const { fileDataStart } = await orBroken(reader, header);
  const bytes = reader.readBytes(fileDataStart, compressedSize);
  if (compressionMethod === 0) return bytes;
  if (compressionMethod !== 8) throw new Unreadable("it is packed in a way that is not known");
  try {
    return inflateRawSync(bytes, { maxOutputLength: most });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? tooLarge() : broken();
  }
}

/** MS-DOS times have no time zone, so the local one is used. */
function modifiedAt(entry: Entry): number | undefined {
  const isSaid = (entry.lastModFileDate & 31) > 0 && ((entry.lastModFileDate >> 5) & 15) > 0;
  return isSaid ? entry.getLastModDate({ forceDosFormat: true }).getTime() : undefined;
}
