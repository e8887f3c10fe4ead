import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OpenFile, readAtMost } from "../../../src/machine/files/open-file.ts";

const MEGABYTE = 1 << 20;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolkeep-open-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe("reading a file up to a limit", () => {
  it("takes no more memory than a small file needs, however many are read", async () => {
    const { bytes, taken } = await read("small text", MEGABYTE);
    expect(bytes.toString()).toBe("small text");
    expect(taken).toBeLessThan(4_096);
  });

  it("gives one byte more than the limit where the file is longer", async () => {
    expect((await read("x".repeat(5_000), 4_999)).bytes).toHaveLength(5_000);
    expect((await read("x".repeat(5_001), 4_999)).bytes).toHaveLength(5_000);
    expect((await read("x".repeat(4_999), 4_999)).bytes).toHaveLength(4_999);
  });

  it("reads all of a file that is larger than one buffer", async () => {
    const text = "0123456789".repeat(300_000);
    expect((await read(text, 5 * MEGABYTE)).bytes.toString()).toBe(text);
  });

  it.each([0, 3, 100])("reads all of a file that was said to hold %i bytes and has grown", async (size) => {
    const text = "line\n".repeat(2_000);
    expect((await read(text, MEGABYTE, size)).bytes.toString()).toBe(text);
  });

  it("reads what is left of a file that was said to hold more", async () => {
    expect((await read("short", MEGABYTE, 9_000)).bytes.toString()).toBe("short");
  });
});

/** `taken`: how long the buffers were into which it was read. */
async function read(text: string, limit: number, size?: number): Promise<{ bytes: Buffer; taken: number }> {
  const path = join(folder, "file.txt");
  await writeFile(path, text);
  const handle = await open(path);
  let taken = 0;
  const counted = new Proxy(handle, {
    get: (target, name) =>
      name === "read"
        ? (buffer: Buffer, ...rest: [number, number, number]) => {
            taken += buffer.length;
            return target.read(buffer, ...rest);
          }
        : Reflect.get(target, name),
  });
  try {
    const stats = await handle.stat();
    if (size !== undefined) stats.size = size;
    const place = { real: path, shown: "file.txt", exists: true };
    const file: OpenFile = { handle: counted, stats, place };
    return { bytes: await readAtMost(file, limit), taken };
  } finally {
    await handle.close();
  }
}
