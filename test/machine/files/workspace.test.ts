import { execFileSync, spawn } from "node:child_process";
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FolderGrant } from "../../../src/contract/caller.ts";
import { SWAPPER } from "../../support/folder-swapper.ts";
import { type TestNative, testNative, textOf } from "../../support/native.ts";

let t: TestNative;
beforeEach(async () => {
  t = await testNative();
});
afterEach(() => t[Symbol.asyncDispose]());

const OUTSIDE = "is outside the folders this agent may use";

function granted(path: string, access: FolderGrant["access"]) {
  return { caller: { folders: [{ path, access }] } };
}

describe("a workspace", () => {
  it("is created for its owner only, when first needed", async () => {
    await t.call("list_directory");
    expect((await stat(t.workspace)).mode & 0o777).toBe(0o700);
  });

  it("is one per agent, and `operator` for the person", async () => {
    await t.call("write_file", { path: "a.txt", content: "mine" });
    await t.call("write_file", { path: "a.txt", content: "theirs" }, { caller: { operator: true } });
    expect(await readFile(join(t.home, "workspaces", "tester", "a.txt"), "utf8")).toBe("mine");
    expect(await readFile(join(t.home, "workspaces", "operator", "a.txt"), "utf8")).toBe("theirs");
  });

  it("refuses an agent name that is no folder name", async () => {
    const result = await t.call("list_directory", {}, { caller: { agentName: "../x" } });
    expect([result.kind, textOf(result)]).toEqual(["failed", expect.stringContaining("agent names are")]);
  });

  it("is not used when a symbolic link stands in its place", async () => {
    await mkdir(join(t.home, "workspaces"), { recursive: true });
    await symlink(t.outside, t.workspace);
    expect(await t.call("list_directory")).toMatchObject({ kind: "failed" });
  });
});

describe("a path", () => {
  it.each([
    ["an absolute path elsewhere", () => "/etc/passwd"],
    ["a way up", () => "../../toolkeep.db"],
    ["a way up from a missing folder", () => "nope/../../../toolkeep.db"],
    ["the home itself", () => t.home],
    ["the store", () => join(t.home, "toolkeep.db")],
    ["another agent's workspace", () => join(t.home, "workspaces", "other")],
    ["a sibling that begins with the same name", () => `${t.workspace}-2/file`],
    ["the environment of this program", () => "/proc/self/environ"],
  ])("may not be %s", async (_, path) => {
    for (const tool of ["read_file", "list_directory"]) {
      const result = await t.call(tool, { path: path() });
      expect(result.kind).toBe("failed");
      expect(textOf(result)).toContain(OUTSIDE);
    }
    expect(textOf(await t.call("write_file", { path: path(), content: "x" }))).toContain(OUTSIDE);
  });

  it("outside gets the same answer whether or not something is there", async () => {
    await t.call("list_directory");
    await writeFile(join(t.outside, "there"), "");
    await symlink(join(t.outside, "there"), join(t.workspace, "a"));
    await symlink(join(t.outside, "gone"), join(t.workspace, "b"));
    await symlink(join(t.outside, "there", "below"), join(t.workspace, "c"));
    const answers = await Promise.all(["a", "b", "c"].map((path) => t.call("read_file", { path })));
    const told = answers.map((answer, index) => textOf(answer).replaceAll(`"${"abc"[index]}"`, "it"));
    expect(new Set(told).size).toBe(1);
    expect(told[0]).toContain(OUTSIDE);
  });

  it("names the allowed folders when it is refused", async () => {
    const result = await t.call("read_file", { path: "/etc/passwd" }, granted(t.outside, "read"));
    expect(textOf(result)).toContain(`${t.workspace} (workspace, read and write)`);
    expect(textOf(result)).toContain(`${t.outside} (read only)`);
  });

  it("through a chain of links is judged by where it ends", async () => {
    await t.call("write_file", { path: "real.txt", content: "inside" });
    await symlink("real.txt", join(t.workspace, "one"));
    await symlink("one", join(t.workspace, "two"));
    expect(textOf(await t.call("read_file", { path: "two" }))).toContain("inside");
    await symlink("/etc/passwd", join(t.workspace, "three"));
    await symlink("three", join(t.workspace, "four"));
    expect(textOf(await t.call("read_file", { path: "four" }))).toContain(OUTSIDE);
  });

  it("in a linked folder outside may neither be read nor written", async () => {
    await t.call("list_directory");
    await symlink(t.outside, join(t.workspace, "out"));
    await writeFile(join(t.outside, "f"), "secret");
    expect(textOf(await t.call("read_file", { path: "out/f" }))).toContain(OUTSIDE);
    expect(textOf(await t.call("write_file", { path: "out/new", content: "" }))).toContain(OUTSIDE);
    expect(textOf(await t.call("list_directory", { path: "out" }))).toContain(OUTSIDE);
    expect(textOf(await t.call("run_shell", { command: "true", cwd: "out" }))).toContain(OUTSIDE);
    expect(await readdir(t.outside)).toEqual(["f"]);
  });

  it("that loops says so", async () => {
    await t.call("list_directory");
    await symlink("loop", join(t.workspace, "loop"));
    expect(textOf(await t.call("read_file", { path: "loop" }))).toContain("in circles");
  });

  it.each([
    ["an empty path", "", "empty"],
    ["a NUL byte", "a\0b", "NUL byte"],
    ["a name of 300 bytes", "n".repeat(300), "longer than the file system takes"],
    ["a path of 5000 bytes", "n/".repeat(2500), "longer than 4096 bytes"],
    ["a home abbreviation that leads nowhere", "~/x", "There is no file"],
    ["a file used as a folder", "file.txt/below", "is a file, not a folder"],
  ])("with %s is refused with a reason", async (_, path, reason) => {
    await t.call("write_file", { path: "file.txt", content: "" });
    const result = await t.call("read_file", { path });
    expect(result.kind).toBe("failed");
    expect(textOf(result)).toContain(reason);
  });

  it("may hold any letters", async () => {
    const path = "Ünïcode/日本語 ☕.txt";
    await t.call("write_file", { path, content: "ok" });
    expect(textOf(await t.call("read_file", { path }))).toContain("ok");
  });

  it("with a name almost right is told the right one", async () => {
    await t.call("write_file", { path: "docs/Readme.md", content: "" });
    const wrongCase = textOf(await t.call("read_file", { path: "docs/README.md" }));
    expect(wrongCase).toContain('Did you mean "docs/Readme.md"? (upper and lower case differ)');
    expect(textOf(await t.call("read_file", { path: "docs/Reedme.md" }))).toContain('"docs/Readme.md"');
  });
});

describe("a granted folder", () => {
  it("may be read but not written when granted for reading", async () => {
    await writeFile(join(t.outside, "f"), "content");
    const options = granted(t.outside, "read");
    expect(textOf(await t.call("read_file", { path: join(t.outside, "f") }, options))).toContain("content");
    const write = await t.call("write_file", { path: join(t.outside, "g"), content: "" }, options);
    expect(textOf(write)).toContain("may be read but not written");
    const edit = { path: join(t.outside, "f"), old_string: "content", new_string: "x" };
    expect((await t.call("edit_file", edit, options)).kind).toBe("failed");
    expect(await readFile(join(t.outside, "f"), "utf8")).toBe("content");
  });

  it("may be written when granted for writing, also through a link to it", async () => {
    const link = join(t.outside, "..", "link");
    await symlink(t.outside, link);
    const result = await t.call(
      "write_file",
      { path: join(link, "g"), content: "x" },
      granted(link, "write"),
    );
    expect(result.kind).toBe("output");
    expect(await readFile(join(t.outside, "g"), "utf8")).toBe("x");
  });

  it("keeps a narrower grant inside it", async () => {
    await mkdir(join(t.outside, "kept"));
    const folders: FolderGrant[] = [
      { path: t.outside, access: "write" },
      { path: join(t.outside, "kept"), access: "read" },
    ];
    const write = (path: string) => t.call("write_file", { path, content: "" }, { caller: { folders } });
    expect((await write(join(t.outside, "a"))).kind).toBe("output");
    expect((await write(join(t.outside, "kept", "a"))).kind).toBe("failed");
  });

  it("never opens the rest of the home, even when it contains it", async () => {
    const options = granted("/", "write");
    for (const path of [
      join(t.home, "toolkeep.db"),
      join(t.home, "workspaces", "other", "f"),
      "/proc/1/environ",
    ]) {
      expect(textOf(await t.call("read_file", { path }, options))).toContain(OUTSIDE);
      expect(textOf(await t.call("write_file", { path, content: "" }, options))).toContain(OUTSIDE);
    }
    const parent = join(t.home, "..");
    const listed = textOf(
      await t.call("list_directory", { path: parent, depth: 3 }, granted(parent, "read")),
    );
    expect(listed).not.toContain("toolkeep.db");
    const found = await t.call("grep", { pattern: "SQLite", path: parent }, granted(parent, "read"));
    expect(textOf(found)).toContain("No matches");
  });

  it("that does not exist grants nothing", async () => {
    const result = await t.call("read_file", { path: "/nowhere/f" }, granted("/nowhere", "write"));
    expect(textOf(result)).toContain(OUTSIDE);
  });
});

describe("a special file", () => {
  it("is refused without blocking", async () => {
    await t.call("list_directory");
    execFileSync("mkfifo", [join(t.workspace, "pipe")]);
    const server = createServer().listen(join(t.workspace, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    try {
      for (const path of ["pipe", "socket"]) {
        expect(textOf(await t.call("read_file", { path }))).toContain("pipe, socket or device");
        expect(textOf(await t.call("write_file", { path, content: "" }))).toContain("pipe, socket or device");
        expect(textOf(await t.call("attach_file", { path }))).toContain("pipe, socket or device");
      }
      expect(textOf(await t.call("grep", { pattern: "x" }))).toContain("No matches");
      expect(textOf(await t.call("list_directory"))).toContain("pipe (pipe, socket or device)");
    } finally {
      server.close();
    }
  });

  it("is refused when it is a device", async () => {
    const result = await t.call("read_file", { path: "/dev/zero" }, granted("/dev", "write"));
    expect(textOf(result)).toContain("pipe, socket or device");
  });
});

describe("a symbolic link swapped in during the call", () => {
  it("never lets a read, a write or a list out of the workspace", async () => {
    await t.call("write_file", { path: "d/f", content: "inside" });
    await writeFile(join(t.outside, "f"), "OUTSIDE");
    await writeFile(join(t.outside, "OUTSIDE"), "");
    await symlink(t.outside, join(t.workspace, "link"));
    const swapper = spawn(process.execPath, ["-e", SWAPPER, t.workspace], { stdio: "ignore" });
    const ended = new Promise((resolve) => swapper.once("exit", resolve));
    const answers: string[] = [];
    try {
      for (let round = 0; round < 150; round++) {
        answers.push(textOf(await t.call("read_file", { path: "d/f" })));
        answers.push(textOf(await t.call("list_directory", { path: "d" })));
        await t.call("write_file", { path: `d/new${round}`, content: "x" });
        await t.call("edit_file", { path: "d/f", old_string: "inside", new_string: "inside!" });
        await t.call("edit_file", { path: "d/f", old_string: "OUTSIDE", new_string: "changed" });
      }
    } finally {
      swapper.kill("SIGKILL");
      await ended;
    }
    expect(answers.filter((answer) => answer.includes("OUTSIDE"))).toEqual([]);
    expect(answers.some((answer) => answer.includes("inside"))).toBe(true);
    expect(await readdir(t.outside)).toEqual(["OUTSIDE", "f"]);
    expect(await readFile(join(t.outside, "f"), "utf8")).toBe("OUTSIDE");
  });
});

describe("missing rights", () => {
  it("are explained", async ({ skip }) => {
    if (process.getuid?.() === 0) {
      console.warn("left out: root may read everything");
      skip("root may read everything");
    }
    await t.call("write_file", { path: "f", content: "" });
    await chmod(join(t.workspace, "f"), 0);
    expect(textOf(await t.call("read_file", { path: "f" }))).toContain("does not permit");
  });
});
