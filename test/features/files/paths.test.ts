import { spawn } from "node:child_process";
import { mkdir, readdir, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SWAPPER } from "../../support/folder-swapper.ts";
import { atLength, sampleOf } from "../../support/length.ts";
import { type TestNative, testNative, textOf } from "../../support/native.ts";

const MARK = "KEPT-OUTSIDE";
const OUTSIDE = "is outside the folders this agent may use";

/** Each tool that takes a path, with arguments that would do something at it. */
const TOOLS = {
  read_file: (path: string) => ({ path }),
  write_file: (path: string) => ({ path, content: "written" }),
  edit_file: (path: string) => ({ path, old_string: "KEPT", new_string: "edited" }),
  multi_edit: (path: string) => ({ path, edits: [{ old_string: "KEPT", new_string: "edited" }] }),
  list_directory: (path: string) => ({ path }),
  grep: (path: string) => ({ path, pattern: "KEPT" }),
  attach_file: (path: string) => ({ path }),
} as const;
type ToolName = keyof typeof TOOLS;
const NAMES = Object.keys(TOOLS) as ToolName[];

let t: TestNative;
beforeEach(async () => {
  t = await testNative();
  await t.call("list_directory");
  await writeFile(join(t.outside, "secret.txt"), MARK);
  await mkdir(join(t.outside, "folder"));
  await writeFile(join(t.outside, "folder", MARK), MARK);
  await writeFile(at("inside.txt"), "KEPT inside");
});
afterEach(() => t[Symbol.asyncDispose]());

const at = (path: string) => join(t.workspace, path);
const use = (tool: ToolName, path: string) => t.call(tool, TOOLS[tool](path));

/** All that is outside, with its content. */
async function outside(): Promise<Record<string, string>> {
  const entries = await readdir(t.outside, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await readFile(file, "utf8")])),
  );
}

async function attachments(): Promise<readonly string[]> {
  return readdir(join(t.home, "attachments")).catch(() => []);
}

describe.each(sampleOf(NAMES, 3))("%s", (tool) => {
  it.each<[string, () => string]>([
    ["with ..", () => "../../../outside/secret.txt"],
    ["with .. behind a folder that is not there", () => "nope/../../../../outside/secret.txt"],
    ["that is absolute", () => join(t.outside, "secret.txt")],
    ["that is absolute and begins with the workspace", () => `${t.workspace}/../../../outside/secret.txt`],
    ["that is a link to a file", () => "link-to-file"],
    ["through a link to a folder", () => "link-to-folder/secret.txt"],
    ["that is a link to a folder", () => "link-to-folder"],
    ["that is a link to nothing yet", () => "link-to-nothing"],
    ["through two links", () => "second-link/secret.txt"],
    ["in another case of the home", () => t.home.toUpperCase()],
    ["that is the store", () => join(t.home, "toolkeep.db")],
  ])("neither reads nor writes at a path outside %s", async (_, path) => {
    await symlink(join(t.outside, "secret.txt"), at("link-to-file"));
    await symlink(t.outside, at("link-to-folder"));
    await symlink(join(t.outside, "nothing"), at("link-to-nothing"));
    await symlink("link-to-folder", at("second-link"));
    const before = await outside();
    const result = await use(tool, path());
    expect([result.kind, textOf(result)]).toEqual(["failed", expect.stringContaining(OUTSIDE)]);
    expect(textOf(result)).not.toContain(MARK);
    expect(await outside()).toEqual(before);
    expect(await attachments()).toEqual([]);
  });

  it.each([
    ["two dots of other alphabets", "․․/․․/․․/outside/secret.txt"],
    ["a slash of another alphabet", "..∕..∕..∕outside∕secret.txt"],
    ["a backslash", "..\\..\\..\\outside\\secret.txt"],
    ["an escaped slash", "..%2f..%2f..%2foutside%2fsecret.txt"],
  ])("takes %s for a name inside", async (_, path) => {
    const before = await outside();
    expect(textOf(await use(tool, path))).not.toContain(MARK);
    expect(await outside()).toEqual(before);
  });

  it("tells letters apart that look the same", async () => {
    const [one, two] = ["caf\u00e9.txt", "cafe\u0301.txt"];
    await writeFile(at(one), "KEPT one");
    await use(tool, two);
    expect(await readFile(at(one), "utf8")).toBe("KEPT one");
  });

  it("works with a name of any letters", async () => {
    const path = "Ünï 日本語 ☕ \u202e.txt";
    await writeFile(at(path), "KEPT");
    const result = await use(tool, path);
    // A folder was expected.
    expect(result.kind).toBe(tool === "list_directory" ? "failed" : "output");
    expect(textOf(result)).not.toContain(OUTSIDE);
  });

  it.each([
    ["a name", "n".repeat(300), "longer than the file system takes"],
    ["a path", "n/".repeat(2_500), "longer than 4096 bytes"],
  ])("refuses %s that is too long", async (_, path, reason) => {
    const result = await use(tool, path);
    expect([result.kind, textOf(result)]).toEqual(["failed", expect.stringContaining(reason)]);
  });

  it("refuses a NUL byte, behind which a path would end for the system", async () => {
    const result = await use(tool, "inside.txt\0/../../secret.txt");
    expect([result.kind, textOf(result)]).toEqual(["failed", expect.stringContaining("NUL byte")]);
    expect(await readFile(at("inside.txt"), "utf8")).toBe("KEPT inside");
  });
});

describe("what is not there", () => {
  it.each<[ToolName, string]>([
    ["read_file", "There is no file"],
    ["edit_file", "There is no file"],
    ["multi_edit", "There is no file"],
    ["attach_file", "There is no file"],
    ["list_directory", "There is no folder"],
    ["grep", "There is no"],
  ])("is said by %s, which makes nothing of it", async (tool, reason) => {
    const before = await readdir(t.workspace);
    const result = await use(tool, "absent");
    expect([result.kind, textOf(result)]).toEqual(["failed", expect.stringContaining(reason)]);
    expect(await readdir(t.workspace)).toEqual(before);
  });

  it("in another case is another file: nothing is overwritten", async () => {
    for (const tool of NAMES) await use(tool, "INSIDE.TXT");
    expect(await readFile(at("inside.txt"), "utf8")).toBe("KEPT inside");
  });
});

describe("a binary file", () => {
  const BYTES = Buffer.concat([Buffer.from("KEPT"), Buffer.from([0, 1, 2, 255, 254, 0])]);

  it.each<[ToolName, "failed" | "output"]>([
    ["read_file", "failed"],
    ["edit_file", "failed"],
    ["multi_edit", "failed"],
    ["grep", "output"],
    ["attach_file", "output"],
  ])("is left as it is by %s", async (tool, kind) => {
    await writeFile(at("data.bin"), BYTES);
    const result = await use(tool, "data.bin");
    expect(result.kind).toBe(kind);
    expect(textOf(result)).not.toContain("\u0001");
    expect(await readFile(at("data.bin"))).toEqual(BYTES);
  });
});

describe("a huge file", () => {
  it.each<[ToolName, string]>([
    ["read_file", "at most 10 MB"],
    ["edit_file", "10 MB"],
    ["multi_edit", "10 MB"],
    ["grep", "No matches"],
    ["attach_file", "larger than 50 MB"],
  ])("is not taken by %s, which says so", async (tool, reason) => {
    await writeFile(at("huge.txt"), "KEPT");
    await truncate(at("huge.txt"), 60 * 1024 * 1024);
    expect(textOf(await use(tool, "huge.txt"))).toContain(reason);
    expect(await attachments()).toEqual([]);
  });
});

it("a link swapped in during the call lets no tool out of the workspace", async () => {
  await mkdir(at("d"));
  await writeFile(at("d/secret.txt"), "KEPT inside");
  await symlink(t.outside, at("link"));
  const before = await outside();
  const swapper = spawn(process.execPath, ["-e", SWAPPER, t.workspace], { stdio: "ignore" });
  const ended = new Promise((resolve) => swapper.once("exit", resolve));
  const answers: string[] = [];
  try {
    // A starved swapper may leave the link in place for long: until the folder was met once, it goes on.
    const hasMet = () => answers.some((answer) => answer.includes("inside"));
    for (let round = 0; round < atLength(60, 15) || (round < 2_000 && !hasMet()); round++) {
      for (const tool of NAMES) {
        const isList = tool === "list_directory";
        answers.push(textOf(await use(tool, isList || round % 2 === 0 ? "d" : "d/secret.txt")));
      }
      await t.call("write_file", { path: `d/new-${round}`, content: "x" });
      await t.call("write_file", { path: "d/secret.txt", content: "KEPT inside" });
    }
  } finally {
    swapper.kill("SIGKILL");
    await ended;
  }
  expect(answers.filter((answer) => answer.includes(MARK))).toEqual([]);
  expect(answers.some((answer) => answer.includes("inside"))).toBe(true);
  expect(await outside()).toEqual(before);
  for (const id of await attachments())
    for (const name of await readdir(join(t.home, "attachments", id)))
      expect(await readFile(join(t.home, "attachments", id, name), "utf8")).not.toContain(MARK);
}, 60_000);
