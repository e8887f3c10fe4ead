import { execFile } from "node:child_process";
import { open, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { testSync } from "../../../support/knowledge-sync.ts";
import { makePdf } from "../../../support/make-pdf.ts";
import { makeZip } from "../../../support/make-zip.ts";

const GIGABYTE = 1024 ** 3;

async function hollow(path: string, bytes: number): Promise<void> {
  const file = await open(path, "w");
  await file.truncate(bytes);
  await file.close();
}

test("no file of these stops a sync, ends a thread for good or hides the good ones", async () => {
  await using t = await testSync();
  const bomb = makeZip({ "word/document.xml": Buffer.alloc(200 * 1024 * 1024, "<w:p>") });
  await t.write({
    "a-good.md": "# Good\n\nBadgers.",
    "bomb.docx": bomb,
    "broken-utf8.txt": Buffer.from([0x48, 0x69, 0xff, 0xfe, 0xc3, 0x28, 0x20, 0x80]),
    "deep.html": "<div>".repeat(200_000),
    "entities.html": `<p>${"&#x1f600;".repeat(50_000)}`,
    "long-line.txt": "word ".repeat(1_000_000),
    "lists.md": "- ".repeat(500_000),
    "empty.md": "",
    "no-text.pdf": makePdf([""]),
    "nul.txt": Buffer.alloc(1_000),
    "quotes.csv": '"'.repeat(1_000_000),
    "unclosed.xml": "<".repeat(500_000),
    "z-good.md": "# Last\n\nFoxes.",
  });
  await hollow(join(t.folder, "gigabyte.txt"), GIGABYTE);
  await symlink(t.folder, join(t.folder, "loop"));
  await symlink("/etc/passwd", join(t.folder, "out.txt"));
  await promisify(execFile)("mkfifo", [join(t.folder, "pipe.md")]);
  await t.sync.addSource({ name: "files", kind: "folder", config: { path: t.folder } });

  const began = performance.now();
  const report = await t.run();
  expect(performance.now() - began).toBeLessThan(60_000);
  expect(report.ok).toBe(true);
  expect(Object.fromEntries(report.problems.map(({ key, reason }) => [key, reason]))).toEqual({
    "bomb.docx": "a file in it has more than 67 MB",
    "gigabyte.txt": "it has 1073.7 MB; files of up to 33.6 MB are read",
    "no-text.pdf": "the PDF has no text: it may be a scan",
    "nul.txt": "it is not a text file",
  });
  const entities = await t.entities();
  expect(entities.has("pipe.md")).toBe(false);
  expect(entities.has("out.txt")).toBe(false);
  for (const key of ["a-good.md", "long-line.txt", "z-good.md"])
    expect(entities.get(key)?.chunkCount).toBeGreaterThan(0);

  const again = await t.run();
  expect(again).toMatchObject({ ok: true, failed: 4, added: 0, changed: 0, problems: report.problems });
}, 120_000);

test("a file that takes too long, or too much memory, is given up and the ones behind it are read", async () => {
  const endless = `%PDF-1.4\n${makePdf(["x"]).toString("latin1").slice(9)}`;
  const blown = deflateSync(Buffer.alloc(600 * 1024 * 1024, "BT ET "), { level: 1 });
  const stream = Buffer.concat([
    Buffer.from(`%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<<>>/Contents 4 0 R>>endobj
4 0 obj<</Length ${blown.length}/Filter/FlateDecode>>stream\n`),
    blown,
    Buffer.from("\nendstream endobj\ntrailer<</Root 1 0 R>>\n"),
  ]);
  await using t = await testSync(null, { parsing: { timeoutMs: 4_000, growthMb: 250 } });
  await t.write({ "a.md": "# A", "b.pdf": stream, "c.md": "# C", "d.pdf": endless });
  await t.sync.addSource({ name: "files", kind: "folder", config: { path: t.folder } });
  const report = await t.run();
  expect(report).toMatchObject({ ok: true, seen: 4, failed: 1 });
  expect(report.problems).toEqual([
    { key: "b.pdf", reason: expect.stringMatching(/^reading it took (more|too)/) },
  ]);
  expect((await t.entities()).get("c.md")?.chunkCount).toBe(1);
  expect((await t.entities()).get("d.pdf")?.chunkCount).toBe(1);
  // Once more, since it may have been the machine; then it is left alone.
  for (let round = 0; round < 3; round++) expect(await t.run()).toMatchObject({ failed: 1, unchanged: 3 });
}, 120_000);
