import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SourceFilter } from "../../../../src/features/knowledge/sources/source-filter.ts";
import type { SourcePlan } from "../../../../src/features/knowledge/sources/source-plan.ts";
import { tempHome } from "../../../support/temp-home.ts";

async function setUp(plan: Partial<SourcePlan> = {}) {
  const folder = await tempHome();
  const root = folder.path;
  const filter = new SourceFilter({
    ...{ kind: "folder", root, isFile: false, ignore: ["drafts", "!drafts/kept"], gitignore: true },
    ...{ hidden: false, maxFileBytes: 1, maxFiles: 1, excluded: [join(root, "home")], ...plan },
  });
  const seen = (change: "create" | "update" | "delete", ...paths: string[]) =>
    paths.filter((path) => filter.concerns(join(root, path), change));
  return { root, seen, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test("changes count where a scan would come to the file, and nowhere else", async () => {
  await using t = await setUp();
  const unseen = [".a.md", ".cache/a.md", "home/a.md", "home", "a/node_modules/b.md", "drafts/a.md", "a.png"];
  expect(t.seen("update", "a.md", "b/c/d.txt", "..md/x", ...unseen, "../outside.md")).toEqual([
    "a.md",
    "b/c/d.txt",
  ]);
  expect(t.seen("delete", "a.md", ...unseen)).toEqual(["a.md"]);
});

test("folders that come or go count, files that nothing reads do not", async () => {
  await using t = await setUp();
  await mkdir(join(t.root, "v1.2"));
  await mkdir(join(t.root, "node_modules"));
  await writeFile(join(t.root, "lock"), "");
  expect(t.seen("create", "v1.2", "node_modules", "lock", "gone.db-journal")).toEqual(["v1.2"]);
  expect(t.seen("delete", "folder", "store.db-journal", "home")).toEqual(["folder"]);
  expect(t.seen("update", "v1.2")).toEqual([]);
});

test("rules in the tree count, and as they are now once they have changed", async () => {
  await using t = await setUp();
  await mkdir(join(t.root, "a"));
  await writeFile(join(t.root, "a/.gitignore"), "out/\n*.log\n");
  expect(t.seen("update", "a/out/b.md", "a/c.log", "a/c.md")).toEqual(["a/c.md"]);
  await writeFile(join(t.root, "a/.gitignore"), "*.log\n");
  expect(t.seen("update", "a/.gitignore", "a/out/b.md", "a/c.log")).toEqual(["a/.gitignore", "a/out/b.md"]);
  await using off = await setUp({ gitignore: false, hidden: true });
  expect(off.seen("update", ".gitignore", ".notes/a.md")).toEqual([".notes/a.md"]);
});
