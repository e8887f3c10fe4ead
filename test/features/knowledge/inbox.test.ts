import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SourceRecord } from "../../../src/features/knowledge/contract.ts";
import { Inbox } from "../../../src/features/knowledge/inbox.ts";
import { tempHome } from "../../support/temp-home.ts";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const SECRET = "hunter2-hunter2";

async function setUp() {
  const home = await tempHome();
  const folder = join(home.path, "inbox");
  const source = { name: "inbox" } as SourceRecord;
  const sync = { inbox: async () => ({ folder, source }), sync: () => Promise.reject(new Error("not here")) };
  const redact = (text: string) => text.replaceAll(SECRET, "[redacted]");
  const inbox = new Inbox({ sync, redact, clock: () => NOW });
  const put = (input: Partial<Parameters<Inbox["put"]>[0]>) =>
    inbox.put({ content: "something", by: "ada", ...input });
  return { folder, inbox, put, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

describe("the inbox", () => {
  it("gives every file a name that is one, whatever was asked for", async () => {
    await using test = await setUp();
    const name = async (filename: string) => (await test.put({ filename })).name;
    expect(await name("plan.md")).toBe("plan.md");
    expect(await name("../../../etc/passwd")).toBe("etc-passwd.md");
    expect(await name("..\\..\\boot.ini")).toBe("boot.ini");
    expect(await name(".ssh/authorized_keys")).toBe("ssh-authorized_keys.md");
    expect(await name("a\0b\n\u202ec")).toBe("a-b-c.md");
    expect(await name("CON")).toBe("CON-note.md");
    expect(await name("....")).toBe("note-2026-01-02-03-04-05.md");
    expect(await name("Übersicht 2026.txt")).toBe("Übersicht-2026.txt");
    expect((await name("x".repeat(500))).length).toBeLessThan(90);
    expect((await readdir(test.folder)).every((file) => !file.startsWith("."))).toBe(true);
  });

  it("never writes over anything, also when many put the same name at once or a link lies there", async () => {
    await using test = await setUp();
    await mkdir(test.folder);
    const outside = join(test.folder, "..", "outside.txt");
    await writeFile(outside, "mine");
    await symlink(outside, join(test.folder, "plan.md"));
    const put = await Promise.all(Array.from({ length: 10 }, () => test.put({ filename: "plan" })));
    expect(new Set(put.map(({ name }) => name)).size).toBe(10);
    expect(put.map(({ name }) => name)).not.toContain("plan.md");
    expect(await readFile(outside, "utf8")).toBe("mine");
  });

  it("says in front matter what it was told, and keeps no secret", async () => {
    await using test = await setUp();
    const { path } = await test.put({
      content: `Open with ${SECRET}`,
      title: 'A "title": of mine',
      tags: ["Work", "work"],
      metadata: { from: ["mail", SECRET] },
    });
    expect(await readFile(path, "utf8")).toBe(
      [
        "---",
        'title: "A \\"title\\": of mine"',
        'tags: ["work"]',
        'created: "2026-01-02T03:04:05.000Z"',
        'author: "ada"',
        'metadata: {"from":["mail","[redacted]"]}',
        "---",
        "",
        "Open with [redacted]",
        "",
      ].join("\n"),
    );
    expect((await stat(path)).mode & 0o077).toBe(0);
    const plain = await test.put({ extension: ".TXT", content: "as it is", title: "Plain" });
    expect([plain.name, await readFile(plain.path, "utf8")]).toEqual(["Plain.txt", "as it is"]);
  });

  it("takes any safe extension, given or of the name, and writes what it was given", async () => {
    await using test = await setUp();
    for (const extension of ["json", "csv", "yaml", "html", "log", "py", "conf", "7"]) {
      const content = `of ${extension}`;
      const given = await test.put({ filename: "data", extension, content });
      const named = await test.put({ filename: `named.${extension}`, content });
      expect([given.name, named.name]).toEqual([`data.${extension}`, `named.${extension}`]);
      expect(await readFile(given.path, "utf8")).toBe(content);
    }
    expect((await test.put({ filename: "setup.exe" })).name).toBe("setup.exe.md");
    expect((await test.put({ filename: "a.txt", extension: "md" })).name).toBe("a.md");
  });

  it("refuses what it cannot take", async () => {
    await using test = await setUp();
    for (const wrong of [
      { content: "  " },
      { content: "x".repeat(1_000_001) },
      ...["exe", "pdf", "so", "desktop", "a/b", "../md", "m d", "", "x".repeat(11), "md\0"].map(
        (extension) => ({
          extension,
        }),
      ),
      { title: "x".repeat(301) },
      { tags: Array.from({ length: 51 }, String) },
      { metadata: { large: "x".repeat(5_000) } },
    ])
      await expect(test.put(wrong)).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });

  it("is listed newest first, and empty before anything was put there", async () => {
    await using test = await setUp();
    expect(await test.inbox.list(10)).toEqual({ folder: test.folder, files: [], total: 0 });
    await test.put({ filename: "a" });
    await test.put({ filename: "b" });
    const { files, total } = await test.inbox.list(1);
    expect([files.length, total]).toEqual([1, 2]);
  });
});
