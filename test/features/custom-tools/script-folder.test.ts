import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listFolder, readFolder, writeFiles } from "../../../src/features/custom-tools/script-folder.ts";
import { tempHome } from "../../support/temp-home.ts";

async function folderOf(files: Readonly<Record<string, string>>) {
  const home = await tempHome();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(home.path, path, ".."), { recursive: true });
    await writeFile(join(home.path, path), content);
  }
  return home;
}

async function hashOf(folder: string): Promise<string> {
  const read = await readFolder(folder);
  return read.ok ? read.value.sha256 : read.error;
}

async function problemOf(folder: string): Promise<string> {
  const read = await readFolder(folder);
  return read.ok ? "" : read.error;
}

describe("the content of a folder", () => {
  it("is known by every byte, name and right to run in it", async () => {
    await using folder = await folderOf({ "tool.json": "{}", "tool.sh": "echo", "lib/a": "1" });
    const seen = new Set([await hashOf(folder.path)]);
    const changed = async () => {
      const hash = await hashOf(folder.path);
      expect(seen).not.toContain(hash);
      seen.add(hash);
    };
    await writeFile(join(folder.path, "tool.sh"), "echp");
    await changed();
    await chmod(join(folder.path, "tool.sh"), 0o700);
    await changed();
    await rename(join(folder.path, "lib/a"), join(folder.path, "lib/b"));
    await changed();
    await writeFile(join(folder.path, "empty"), "");
    await changed();
    await rm(join(folder.path, "lib/b"));
    await changed();
  });

  it("is not another because its bytes are shared out differently", async () => {
    await using one = await folderOf({ a: "xy", b: "" });
    await using two = await folderOf({ a: "x", b: "y" });
    expect(await hashOf(one.path)).not.toBe(await hashOf(two.path));
  });

  it("is the same wherever it lies, whenever it was written and whatever tools left in it", async () => {
    await using one = await folderOf({ "tool.sh": "echo", ".git/HEAD": "x" });
    await using two = await folderOf({ "tool.sh": "echo", "__pycache__/x.pyc": "y" });
    expect(await hashOf(one.path)).toBe(await hashOf(two.path));
  });

  it("comes out of a copy as it was read, for its owner only", async () => {
    await using folder = await folderOf({ "tool.sh": "echo", "lib/deep/a": "1" });
    await chmod(join(folder.path, "tool.sh"), 0o755);
    await using place = await tempHome();
    const read = await readFolder(folder.path);
    if (!read.ok) throw new Error(read.error);
    await writeFiles(read.value, place.path);
    expect(await readFile(join(place.path, "lib/deep/a"), "utf8")).toBe("1");
    expect((await stat(join(place.path, "tool.sh"))).mode & 0o777).toBe(0o700);
    expect((await stat(join(place.path, "lib/deep/a"))).mode & 0o777).toBe(0o600);
    expect(await hashOf(place.path)).toBe(read.value.sha256);
  });

  it("has a version that tells of every change without reading", async () => {
    await using folder = await folderOf({ a: "1" });
    const version = async () => {
      const listing = await listFolder(folder.path);
      return listing.ok && listing.value.version;
    };
    const first = await version();
    expect(await version()).toBe(first);
    await rm(join(folder.path, "a"));
    await writeFile(join(folder.path, "a"), "1");
    expect(await version()).not.toBe(first);
  });
});

describe("a folder is refused", () => {
  it("with a symbolic link in it, to a file, a folder or nothing", async () => {
    for (const target of ["a", "..", "/etc", "/nowhere"]) {
      await using folder = await folderOf({ a: "1" });
      await symlink(target, join(folder.path, "link"));
      expect(await problemOf(folder.path)).toBe("link is a symbolic link; put the file itself there");
    }
  });

  it("with a pipe in it, without waiting for somebody to write", async () => {
    await using folder = await folderOf({ a: "1" });
    execFileSync("mkfifo", [join(folder.path, "pipe")]);
    expect(await problemOf(folder.path)).toBe("pipe is a pipe, socket or device");
  });

  it("where every user of the machine can write: a file, a folder in it, or itself", async () => {
    await using folder = await folderOf({ "lib/a": "1" });
    for (const [path, shown] of [
      ["lib/a", "lib/a"],
      ["lib", "lib"],
      ["", "its folder"],
    ] as const) {
      const place = join(folder.path, path);
      const { mode } = await stat(place);
      await chmod(place, mode | 0o002);
      expect(await problemOf(folder.path)).toContain(`every user of this machine can write ${shown}`);
      await chmod(place, mode);
    }
    expect(await problemOf(folder.path)).toBe("");
  });

  it("with too many files, too much in them, or nested too deep", async () => {
    await using many = await folderOf({});
    for (let index = 0; index < 200; index++) await writeFile(join(many.path, `f${index}`), "");
    expect(await problemOf(many.path)).toContain("more than 200 files");
    await using large = await folderOf({ a: "" });
    await truncate(join(large.path, "a"), 8 * 1024 * 1024 + 1);
    expect(await problemOf(large.path)).toContain("exceed 8 MiB");
    await using deep = await folderOf({ "1/2/3/4/5/6/7/8/9/a": "" });
    expect(await problemOf(deep.path)).toContain("more than 8 folders deep");
  });

  it("that is not there, or is no folder", async () => {
    await using folder = await folderOf({ a: "" });
    expect(await problemOf(join(folder.path, "nowhere"))).toBe("it does not exist");
    expect(await problemOf(join(folder.path, "a"))).toContain("ENOTDIR");
  });
});
