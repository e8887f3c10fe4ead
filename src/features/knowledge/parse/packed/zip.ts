import { inflateRawSync } from "node:zlib";
import { Unreadable } from "../parsed-document.ts";

/** Reads bytes from a place; fewer where there are no more. */
export type ReadBytes = (position: number, length: number) => Uint8Array;

export interface ZipEntry {
  /** With `/`, as the archive has it; never used as a path. */
  readonly name: string;
  /** What the archive says; it may lie. */
  readonly size: number;
  readonly modifiedAt: number | undefined;
  /** Throws `Unreadable` where it is more than `most` bytes, whatever was said. */
  read(most: number): Uint8Array;
}

const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const MAX_COMMENT = 65_535;
const MAX_ENTRIES = 200_000;
const MAX_DIRECTORY = 128 * 1024 * 1024;
const BROKEN = "it is not a ZIP archive, or a broken one";

/** What is in an archive, in its order; nothing is unpacked before it is read. Throws `Unreadable`. */
export function zipEntries(size: number, read: ReadBytes): ZipEntry[] {
  const { count, start, length } = directoryOf(size, read);
  if (count > MAX_ENTRIES || length > MAX_DIRECTORY) throw new Unreadable("the archive holds too many files");
  const directory = Buffer.from(read(start, length));
  const entries: ZipEntry[] = [];
  for (let at = 0; at + 46 <= directory.length && entries.length < count; ) {
    if (directory.readUInt32LE(at) !== ENTRY) throw new Unreadable(BROKEN);
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) =>
      directory.readUInt16LE(at + offset),
    ) as [number, number, number];
    const nameEnd = at + 46 + nameLength;
    const sizes = sizesOf(directory, at, directory.subarray(nameEnd, nameEnd + extraLength));
    const isLocked = (directory.readUInt16LE(at + 8) & 1) === 1;
    const method = directory.readUInt16LE(at + 10);
    const name = directory.toString("utf8", at + 46, nameEnd);
    if (!name.endsWith("/"))
      entries.push({
        name,
        size: sizes.unpacked,
        modifiedAt: timeOf(directory.readUInt16LE(at + 12), directory.readUInt16LE(at + 14)),
        read(most) {
          if (isLocked) throw new Unreadable("it is locked with a password");
          return unpack(read, { ...sizes, method }, most);
        },
      });
    at = nameEnd + extraLength + commentLength;
  }
  return entries;
}

/** Where a buffer is the archive. */
export function bytesOf(bytes: Uint8Array): ReadBytes {
  return (position, length) => bytes.subarray(position, position + length);
}

function directoryOf(size: number, read: ReadBytes): { count: number; start: number; length: number } {
  const tailStart = Math.max(0, size - MAX_COMMENT - 22);
  const tail = Buffer.from(read(tailStart, size - tailStart));
  let end = tail.length - 22;
  while (end >= 0 && tail.readUInt32LE(end) !== END) end--;
  if (end < 0) throw new Unreadable(BROKEN);
  const small = {
    count: tail.readUInt16LE(end + 10),
    length: tail.readUInt32LE(end + 12),
    start: tail.readUInt32LE(end + 16),
  };
  if (end < 20 || tail.readUInt32LE(end - 20) !== LOCATOR_64) return small;
  const at = Number(tail.readBigUInt64LE(end - 12));
  const large = Buffer.from(read(at, 56));
  if (large.length < 56 || large.readUInt32LE(0) !== END_64) throw new Unreadable(BROKEN);
  return {
    count: Number(large.readBigUInt64LE(32)),
    length: Number(large.readBigUInt64LE(40)),
    start: Number(large.readBigUInt64LE(48)),
  };
}

interface Sizes {
  readonly packed: number;
  readonly unpacked: number;
  readonly offset: number;
}

/** Numbers that do not fit stand in an extra field, in this order. */
function sizesOf(directory: Buffer, at: number, extra: Buffer): Sizes {
  let unpacked = directory.readUInt32LE(at + 24);
  let packed = directory.readUInt32LE(at + 20);
  let offset = directory.readUInt32LE(at + 42);
  for (let place = 0; place + 4 <= extra.length; ) {
    const [id, length] = [extra.readUInt16LE(place), extra.readUInt16LE(place + 2)];
    if (id === 1) {
      let next = place + 4;
      const large = () => {
        if (next + 8 > extra.length) throw new Unreadable(BROKEN);
        next += 8;
        return Number(extra.readBigUInt64LE(next - 8));
      };
      if (unpacked === 0xffffffff) unpacked = large();
      if (packed === 0xffffffff) packed = large();
      if (offset === 0xffffffff) offset = large();
    }
    place += 4 + length;
  }
  return { packed, unpacked, offset };
}

function unpack(
  read: ReadBytes,
  { packed, unpacked, offset, method }: Sizes & { method: number },
  most: number,
): Uint8Array {
  const tooLarge = () => new Unreadable(`a file in it has more than ${Math.round(most / 1_000_000)} MB`);
  if (unpacked > most || packed > most) throw tooLarge();
  const head = Buffer.from(read(offset, 30));
  if (head.length < 30 || head.readUInt32LE(0) !== LOCAL) throw new Unreadable(BROKEN);
  const bytes = read(offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28), packed);
  if (method === 0) return bytes;
  if (method !== 8) throw new Unreadable("it is packed in a way that is not known");
  try {
    return inflateRawSync(bytes, { maxOutputLength: most });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
    throw new Unreadable(BROKEN);
  }
}

/** Of MS-DOS: without a time zone, so this one's. */
function timeOf(time: number, date: number): number | undefined {
  const [year, month, day] = [(date >> 9) + 1980, (date >> 5) & 15, date & 31];
  if (month < 1 || day < 1) return undefined;
  return new Date(year, month - 1, day, time >> 11, (time >> 5) & 63, (time & 31) * 2).getTime();
}
