import { describe, expect, test } from "vitest";
import { bytesOf, zipEntries } from "../../../../../src/features/knowledge/parse/packed/zip.ts";
import { Unreadable } from "../../../../../src/features/knowledge/parse/parsed-document.ts";
import { makeZip } from "../../../../support/make-zip.ts";

const MOST = 1_000_000;

async function contents(archive: Uint8Array): Promise<[name: string, text: string][]> {
  const entries = await zipEntries(archive.length, bytesOf(archive));
  return Promise.all(
    entries.map(async ({ name, read }) => [name, Buffer.from(await read(MOST)).toString()] as const),
  ) as Promise<[string, string][]>;
}

describe("an archive", () => {
  test("is read whatever its names are: they are never used as paths", async () => {
    const files = { "../up.md": "a", "/root.md": "b", "C:\\x.md": "c", "ü/n.md": "d", "folder/": "" };
    expect(await contents(makeZip(files))).toEqual(Object.entries(files).slice(0, 4));
  });

  test("that claims more files than any has is refused before they are listed", async () => {
    const archive = makeZip({ "a.md": "x" });
    const end = archive.length - 22;
    const record = Buffer.alloc(56);
    record.writeUInt32LE(0x06064b50, 0);
    record.writeBigUInt64LE(200_001n, 32);
    record.writeBigUInt64LE(BigInt(archive.readUInt32LE(end + 16)), 48);
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x07064b50, 0);
    locator.writeBigUInt64LE(BigInt(end), 8);
    const large = Buffer.concat([archive.subarray(0, end), record, locator, archive.subarray(end)]);
    await expect(contents(large)).rejects.toThrow("the archive holds too many files");
    record.writeBigUInt64LE(1n, 32);
    const fine = Buffer.concat([archive.subarray(0, end), record, locator, archive.subarray(end)]);
    expect(await contents(fine)).toEqual([["a.md", "x"]]);
  });

  test("gives no more of a file than is asked for, whatever size it claims", async () => {
    for (const claim of [undefined, 10]) {
      const archive = makeZip({ "a.md": "x".repeat(5_000) }, claim);
      const [entry] = await zipEntries(archive.length, bytesOf(archive));
      await expect(entry!.read(4_999)).rejects.toThrow("a file in it has more than 0 MB");
      expect(await entry!.read(5_000)).toHaveLength(5_000);
    }
  });

  test("with any byte changed, or cut anywhere, is read or unreadable, and nothing else", async () => {
    const archive = makeZip({ "a.md": "hello hello", "b/c.md": "world" });
    const others = [...archive.keys()].flatMap((at) => {
      const changed = Buffer.from(archive);
      changed[at]! ^= at % 2 === 0 ? 0xff : 0x01;
      return [changed, archive.subarray(0, at), archive.subarray(at)];
    });
    const failures = await Promise.all(
      others.map((other) =>
        contents(other).then(
          () => undefined,
          (error) => error,
        ),
      ),
    );
    expect(failures.filter((error) => error !== undefined && !(error instanceof Unreadable))).toEqual([]);
    expect(failures.filter((error) => error instanceof Unreadable).length).toBeGreaterThan(others.length / 2);
  });
});
