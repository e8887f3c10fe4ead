import { chmod, link, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestNative, testNative, textOf } from "../../support/native.ts";

let t: TestNative;
beforeAll(async () => {
  t = await testNative();
  await t.call("list_directory");
});
afterAll(() => t[Symbol.asyncDispose]());

const at = (path: string) => join(t.workspace, path);

async function refused(tool: string, args: Record<string, unknown>): Promise<string> {
  const result = await t.call(tool, args);
  expect(result.kind).toBe("failed");
  return textOf(result);
}

describe("read_file", () => {
  it("numbers the lines", async () => {
    await writeFile(at("r.txt"), "one\r\ntwo\n\nfour");
    expect(textOf(await t.call("read_file", { path: "r.txt" }))).toBe(
      "     1\tone\n     2\ttwo\n     3\t\n     4\tfour",
    );
  });

  it("reads a part and says how to read on", async () => {
    await writeFile(
      at("long.txt"),
      Array.from({ length: 2_500 }, (_, index) => `line ${index + 1}\n`).join(""),
    );
    const part = textOf(await t.call("read_file", { path: "long.txt", offset: 10, limit: 2 }));
    expect(part).toBe("    10\tline 10\n    11\tline 11\n(lines 10 to 11 of 2500; read on with offset 12)");
    const first = textOf(await t.call("read_file", { path: "long.txt" }));
    expect(first).toContain("(lines 1 to 2000 of 2500; read on with offset 2001)");
    expect(await refused("read_file", { path: "long.txt", offset: 9_999 })).toContain("has 2500 lines");
  });

  it("cuts long lines and says what is missing", async () => {
    await writeFile(at("wide.txt"), "x".repeat(5_000));
    expect(textOf(await t.call("read_file", { path: "wide.txt" }))).toContain("… (3000 more characters)");
  });

  it("says that a file is empty", async () => {
    await writeFile(at("empty.txt"), "");
    expect(textOf(await t.call("read_file", { path: "empty.txt" }))).toBe('("empty.txt" is empty)');
  });

  it.each([
    ["image/png", Buffer.from("89504e470d0a1a0a00000000", "hex")],
    ["image/jpeg", Buffer.from("ffd8ffe000000000", "hex")],
    ["image/gif", Buffer.from("GIF89a\0\0")],
    ["image/webp", Buffer.from("RIFF\0\0\0\0WEBPVP8 ")],
  ])("shows %s as an image, whatever its name", async (mimeType, bytes) => {
    await writeFile(at("picture.dat"), bytes);
    const result = await t.call("read_file", { path: "picture.dat" });
    expect(result).toMatchObject({
      kind: "output",
      content: [{ type: "text" }, { type: "image", mimeType, data: bytes.toString("base64") }],
    });
  });

  it("refuses binary files, files over 10 MB, large images and folders with advice", async () => {
    await writeFile(at("a.bin"), Buffer.from([1, 2, 0, 3]));
    expect(await refused("read_file", { path: "a.bin" })).toContain("is a binary file");
    await writeFile(at("huge.txt"), "x");
    await truncate(at("huge.txt"), 11 * 1024 * 1024);
    expect(await refused("read_file", { path: "huge.txt" })).toContain("at most 10 MB");
    await writeFile(at("huge.png"), Buffer.from("89504e470d0a1a0a", "hex"));
    await truncate(at("huge.png"), 6 * 1024 * 1024);
    expect(await refused("read_file", { path: "huge.png" })).toContain("at most 5 MB");
    expect(await refused("read_file", { path: "." })).toContain("is a folder");
  });
});

describe("write_file", () => {
  it("creates folders and says whether it replaced something", async () => {
    const created = await t.call("write_file", { path: "a/b/c.txt", content: "é" });
    expect(created).toMatchObject({ structured: { path: "a/b/c.txt", bytes: 2, replaced: false } });
    const replaced = await t.call("write_file", { path: "a/b/c.txt", content: "new" });
    expect(textOf(replaced)).toBe('Replaced "a/b/c.txt" (3 bytes).');
    expect(await readFile(at("a/b/c.txt"), "utf8")).toBe("new");
    expect(await readdir(at("a/b"))).toEqual(["c.txt"]);
  });

  it("keeps the mode of the file and the link that led to it", async () => {
    await writeFile(at("script.sh"), "old");
    await chmod(at("script.sh"), 0o755);
    await symlink("script.sh", at("alias.sh"));
    await t.call("write_file", { path: "alias.sh", content: "new" });
    expect((await stat(at("script.sh"))).mode & 0o777).toBe(0o755);
    expect(await readFile(at("script.sh"), "utf8")).toBe("new");
  });

  it("never changes a file in place, so a hard link elsewhere keeps its content", async () => {
    await writeFile(join(t.outside, "original"), "original");
    await link(join(t.outside, "original"), at("hard"));
    await t.call("write_file", { path: "hard", content: "changed" });
    expect(await readFile(join(t.outside, "original"), "utf8")).toBe("original");
  });

  it("refuses folders and more than 10 MB", async () => {
    await mkdir(at("folder"));
    expect(await refused("write_file", { path: "folder", content: "" })).toContain("is a folder");
    const content = "x".repeat(10 * 1024 * 1024 + 1);
    expect(await refused("write_file", { path: "big.txt", content })).toContain("at most");
    expect(await refused("write_file", { path: "r.txt/below", content: "" })).toContain("not a folder");
  });

  it("lets readers see the old or the new content, never half of it", async () => {
    await t.call("write_file", { path: "whole.txt", content: "a".repeat(100_000) });
    let writing = true;
    const lengths = new Set<number>();
    const reader = (async () => {
      while (writing) lengths.add((await readFile(at("whole.txt"))).length);
    })();
    for (let round = 0; round < 20; round++) {
      await t.call("write_file", { path: "whole.txt", content: "b".repeat(round % 2 ? 100_000 : 50_000) });
    }
    writing = false;
    await reader;
    expect([...lengths].filter((length) => length !== 100_000 && length !== 50_000)).toEqual([]);
  });
});

describe("edit_file", () => {
  it("replaces one occurrence, or all of them", async () => {
    await writeFile(at("e.txt"), "a b\nc b\n");
    await t.call("edit_file", { path: "e.txt", old_string: "a b", new_string: "a $& B" });
    const all = { path: "e.txt", old_string: "b", new_string: "x", replace_all: true };
    expect(await t.call("edit_file", all)).toMatchObject({ structured: { replacements: 1 } });
    expect(await readFile(at("e.txt"), "utf8")).toBe("a $& B\nc x\n");
  });

  it("keeps line endings, byte order mark and mode", async () => {
    await writeFile(at("dos.txt"), "\uFEFFone\r\ntwo\r\nthree\r\n");
    await chmod(at("dos.txt"), 0o640);
    await t.call("edit_file", { path: "dos.txt", old_string: "one\ntwo", new_string: "1\n2\n2b" });
    expect(await readFile(at("dos.txt"), "utf8")).toBe("\uFEFF1\r\n2\r\n2b\r\nthree\r\n");
    expect((await stat(at("dos.txt"))).mode & 0o777).toBe(0o640);
  });

  it("leaves mixed line endings as they are", async () => {
    await writeFile(at("mixed.txt"), "one\r\ntwo\nthree\r\n");
    await t.call("edit_file", { path: "mixed.txt", old_string: "two\n", new_string: "2\n" });
    expect(await readFile(at("mixed.txt"), "utf8")).toBe("one\r\n2\nthree\r\n");
  });

  it.each([
    ["shows the closest line when the text is not there", "const valeu = 1;", "The closest line is 2"],
    ["shows no line that has nothing in common", "zz", "Read the file again"],
    ["says when only white space differs", "const  value = 1;", "The closest line is 2"],
    ["says when line numbers were copied", "     2\tconst value = 1;", "Leave out the line numbers"],
    ["counts occurrences that are not unique", "same", "occurs 2 times (lines 1, 3)"],
    ["refuses an empty text", "", "old_string is empty"],
    ["refuses two equal texts", "NEW", "are the same"],
  ])("%s", async (_, old_string, reason) => {
    const before = "same\n  const value = 1;\nsame\n";
    await writeFile(at("n.txt"), before);
    expect(await refused("edit_file", { path: "n.txt", old_string, new_string: "NEW" })).toContain(reason);
    expect(await readFile(at("n.txt"), "utf8")).toBe(before);
  });

  it("refuses what is not UTF-8 text, so that nothing is lost", async () => {
    await writeFile(at("latin1.txt"), Buffer.from("caf\xe9", "latin1"));
    const edit = { path: "latin1.txt", old_string: "caf", new_string: "x" };
    expect(await refused("edit_file", edit)).toContain("not valid UTF-8");
  });

  it("refuses a result beyond the limit before building it", async () => {
    await writeFile(at("many.txt"), "a".repeat(1_000_000));
    const edit = { path: "many.txt", old_string: "a", new_string: "b".repeat(1_000_000), replace_all: true };
    expect(await refused("edit_file", edit)).toContain("at most");
  });

  it("loses no edit when several run at once", async () => {
    await writeFile(at("race.txt"), Array.from({ length: 20 }, (_, index) => `<${index}>\n`).join(""));
    const edit = (index: number) => ({
      path: "race.txt",
      old_string: `<${index}>`,
      new_string: `done ${index}`,
    });
    await Promise.all(Array.from({ length: 20 }, (_, index) => t.call("edit_file", edit(index))));
    expect(await readFile(at("race.txt"), "utf8")).not.toContain("<");
  });
});

describe("multi_edit", () => {
  it("applies edits in order, each to the result of the one before", async () => {
    await writeFile(at("m.txt"), "one two");
    const edits = [
      { old_string: "one", new_string: "1" },
      { old_string: "1 two", new_string: "1 2" },
    ];
    expect((await t.call("multi_edit", { path: "m.txt", edits })).kind).toBe("output");
    expect(await readFile(at("m.txt"), "utf8")).toBe("1 2");
  });

  it("changes nothing when one edit fails", async () => {
    await writeFile(at("m.txt"), "one two");
    const edits = [
      { old_string: "one", new_string: "1" },
      { old_string: "three", new_string: "3" },
    ];
    expect(await refused("multi_edit", { path: "m.txt", edits })).toContain(
      "edit 2 of 2: old_string was not found",
    );
    expect(await readFile(at("m.txt"), "utf8")).toBe("one two");
  });
});

describe("list_directory", () => {
  it("sorts, marks folders and links, and tells sizes", async () => {
    await mkdir(at("list/sub/deep"), { recursive: true });
    await writeFile(at("list/b.txt"), "12345");
    await writeFile(at("list/sub/c.txt"), "");
    await symlink("/etc", at("list/away"));
    expect(textOf(await t.call("list_directory", { path: "list" }))).toBe("away@\nb.txt\t5 B\nsub/");
    expect(textOf(await t.call("list_directory", { path: "list", depth: 2 }))).toBe(
      "away@\nb.txt\t5 B\nsub/\nsub/c.txt\t0 B\nsub/deep/",
    );
    expect(textOf(await t.call("list_directory", { path: "list/sub/deep" }))).toContain("is empty");
  });

  it("shows at most 1000 entries and says how many more there are", async () => {
    await mkdir(at("crowd"));
    await Promise.all(Array.from({ length: 1_005 }, (_, index) => writeFile(at(`crowd/${index}`), "")));
    const lines = textOf(await t.call("list_directory", { path: "crowd" })).split("\n");
    expect(lines).toHaveLength(1_001);
    expect(lines.at(-1)).toContain("5 more entries");
  });

  it("refuses a file and a folder that is not there", async () => {
    expect(await refused("list_directory", { path: "list/b.txt" })).toContain("is a file");
    expect(await refused("list_directory", { path: "nowhere" })).toContain("There is no folder");
  });
});
