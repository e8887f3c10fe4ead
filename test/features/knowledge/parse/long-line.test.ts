import { appendFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readFileJob } from "../../../../src/features/knowledge/parse/read-file.ts";
import type { FileType } from "../../../../src/features/knowledge/sources/file-type.ts";
import { tempHome } from "../../../support/temp-home.ts";

/** Eight times what is held of a text, and four times what is held of a message: a gigabyte goes the same way, and takes its time to hash. */
const LINE = 128 * 1024 ** 2;
/** A hole in a file takes no place on a disk, and is read as bytes like any other. */
async function longLine(type: FileType, begin: string, end: string) {
  await using folder = await tempHome();
  const path = join(folder.path, "line");
  await writeFile(path, begin);
  await truncate(path, LINE);
  await appendFile(path, end);
  const { mtimeMs, size } = await stat(path);
  const plan = { kind: "mail", root: folder.path, maxFileBytes: 2 * LINE } as const;
  const job = { path, key: "line/", type, modifiedAt: Math.floor(mtimeMs), size, plan };
  const keys: string[] = [];
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const ended = await readFileJob(job, {
    async onMembers(members) {
      keys.push(...members.map(({ key }) => key));
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    },
  });
  return { end: ended, keys, most: Math.max(most, process.memoryUsage().arrayBuffers - before) };
}

test("a text with a line of any length is read as far as a document goes", async () => {
  const { end, most } = await longLine("text", "badger ".repeat(10_000), "");
  if (end.kind !== "read") throw new Error(JSON.stringify(end));
  expect(end.size).toBe(LINE);
  expect(end.document.passages[0]!.text).toContain("badger badger");
  expect(most).toBeLessThan(LINE);
}, 60_000);

test("a message with a line of any length is cut, and the ones behind it come", async () => {
  const message = (id: number) => `From a@b\nMessage-ID: <${id}@x>\n\nText `;
  const { end, keys } = await longLine("mbox", message(1), `\n\n${message(2)}\n`);
  expect(end).toMatchObject({ kind: "members", problems: [] });
  expect(keys).toEqual(["line/1@x", "line/2@x"]);
}, 60_000);
