import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { compareKeys } from "../../../../src/features/knowledge/sources/compare-keys.ts";
import { IgnoreRules } from "../../../../src/features/knowledge/sources/ignore-rules.ts";
import { planSource } from "../../../../src/features/knowledge/sources/plan-source.ts";
import { listFolder, scanFolder } from "../../../../src/features/knowledge/sources/scan-folder.ts";
import { tempHome } from "../../../support/temp-home.ts";
import { workNow } from "../../../support/work-clock.ts";

async function scanned(
  files: Readonly<Record<string, string>>,
  { kind = "folder", ...config }: { readonly kind?: string; readonly [key: string]: unknown } = {},
): Promise<string[]> {
  await using folder = await tempHome();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true });
    await writeFile(join(folder.path, path), content);
  }
  const plan = await planSource(kind, { path: folder.path, ...config }, "/nowhere/home");
  if (!plan.ok) throw new Error(plan.error);
  const all = [...scanFolder(plan.value)];
  // Whatever there is: as many are counted beforehand.
  expect([...listFolder(plan.value)].at(-1) ?? 0).toBe(all.filter((found) => found.kind === "file").length);
  return all.map((found) => (found.kind === "file" ? found.key : `! ${found.key}`));
}

const named = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, "x"]));

describe("a scan", () => {
  test("gives files in the order of their keys, however folders and files are named", async () => {
    const names = [
      "a.md",
      "a/b.md",
      "a/b/c.md",
      "a-b/x.md",
      "a b.md",
      "z/a.md",
      "é.md",
      "\uffee.md",
      "😀.md",
    ];
    expect(await scanned(named(...names))).toEqual([...names].sort(compareKeys));
  });

  test("gives files that hold many documents before their members, in order", async () => {
    const files = named("box.mbox", "box.mbox.txt", "box.mbox-old.mbox", "box/x.eml", "Inbox");
    const keys = await scanned(files, { kind: "mail" });
    expect(keys).toEqual([...keys].sort(compareKeys));
    expect(keys).toEqual(["Inbox/", "box.mbox-old.mbox/", "box.mbox/", "box/x.eml"]);
  });

  test("leaves out what nothing reads, hidden names, and what is ignored by default or by patterns", async () => {
    const files = {
      ...named("a.md", "b.png", ".env", ".hidden/c.md", "node_modules/x/d.md", "out/e.md", "f.min.js"),
      ...named("in/out.md", "keep.tmp.md", "x.tmp.md"),
    };
    const ignore = ["/out/", "*.tmp.md", "!keep.tmp.md"];
    expect(await scanned(files, { ignore })).toEqual(["a.md", "in/out.md", "keep.tmp.md"]);
    const only = { hidden: true, ignore: ["*", "!.hidden", "!c.md"] };
    expect(await scanned(files, only)).toEqual([".hidden/c.md"]);
  });

  test("heeds .gitignore and .toolkeepignore where they lie, unless it is told not to", async () => {
    const files = {
      ...named("a.md", "dist/b.md", "sub/c.md", "sub/skip.md", "sub/deep/skip.md"),
      ".gitignore": "dist/\n# comment\nskip.md\n",
      "sub/.toolkeepignore": "!skip.md\n/deep\n",
    };
    expect(await scanned(files)).toEqual(["a.md", "sub/c.md", "sub/skip.md"]);
    expect(await scanned(files, { gitignore: false })).toHaveLength(5);
  });

  test("of a vault leaves out what belongs to Obsidian", async () => {
    const files = named("note.md", ".obsidian/app.md", ".trash/old.md", "script.js", "paper.pdf");
    expect(await scanned(files, { kind: "obsidian", hidden: true })).toEqual(["note.md", "paper.pdf"]);
  });

  test("ends at its count of files and says so", async () => {
    const files = named("a.md", "b.md", "c.md");
    expect(await scanned(files, { max_files: 2 })).toEqual(["a.md", "b.md", "! "]);
  });

  test("of a folder that lies too deep says that it was not looked at", async () => {
    const keys = await scanned(named("a.md", `${"d/".repeat(70)}x.md`));
    expect(keys).toEqual(["a.md", `! ${"d/".repeat(65)}`]);
  });

  test("of one file is that file, and a link that is the source itself is followed", async () => {
    await using folder = await tempHome();
    await writeFile(join(folder.path, "real.md"), "x");
    await symlink(join(folder.path, "real.md"), join(folder.path, "link.md"));
    const plan = await planSource("folder", { path: join(folder.path, "link.md") }, "/nowhere/home");
    if (!plan.ok) throw new Error(plan.error);
    expect([...scanFolder(plan.value)]).toMatchObject([{ key: "real.md", type: "markdown", size: 1 }]);
  });
});

test("ignore patterns are read as git reads them, in bounded time", () => {
  const patterns = ["*.log", "!keep.log", "build/", "/top.md", "docs/*.md", "a/**/z.md", "", "# no", "we?rd"];
  const rules = new IgnoreRules("", patterns);
  const cases: readonly [string, boolean, boolean | undefined][] = [
    ["x.log", false, true],
    ["deep/x.log", false, true],
    ["keep.log", false, false],
    ["build", true, true],
    ["build", false, undefined],
    ["in/build", true, true],
    ["top.md", false, true],
    ["in/top.md", false, undefined],
    ["docs/a.md", false, true],
    ["docs/in/a.md", false, undefined],
    ["a/b/c/z.md", false, true],
    ["a/z.md", false, true],
    ["weird", false, true],
  ];
  for (const [path, isFolder, verdict] of cases)
    expect([path, rules.verdict(path, isFolder)]).toEqual([path, verdict]);
  const slow = new IgnoreRules("", [`${"*a".repeat(200)}b`]);
  const began = workNow();
  slow.verdict("a".repeat(5_000), false);
  expect(workNow() - began).toBeLessThan(1_000);
});

test("character classes and escapes in ignore patterns mean what they mean to git", () => {
  const cases: readonly [pattern: string, path: string, isLeftOut: true | undefined][] = [
    ["*.py[cod]", "a.pyc", true],
    ["*.py[cod]", "a.pyx", undefined],
    ["[Bb]in/", "src/Bin", true],
    ["log[0-9].md", "log7.md", true],
    ["log[0-9].md", "logx.md", undefined],
    ["log[!0-9].md", "logx.md", true],
    ["log[^0-9].md", "log7.md", undefined],
    ["x[]-]y", "x]y", true],
    ["x[]-]y", "x-y", true],
    ["x[a\\]]y", "x]y", true],
    ["[[:digit:]_]*.md", "_7.md", true],
    ["[[:digit:]_]*.md", "a7.md", undefined],
    ["[[:no:]]", "n", undefined],
    ["[z-a]", "b", undefined],
    ["open[bracket", "open[bracket", undefined],
    ["\\[a].md", "[a].md", true],
    ["\\*.md", "*.md", true],
    ["\\*.md", "a.md", undefined],
    ["\\!keep", "!keep", true],
    ["\\#note", "#note", true],
    ["end\\ ", "end ", true],
    ["docs/[a-c]*/**/x[12].md", "docs/both/in/deep/x2.md", true],
    ["docs/[a-c]*/**/x[12].md", "docs/dark/x2.md", undefined],
  ];
  for (const [pattern, path, isLeftOut] of cases)
    expect([pattern, path, new IgnoreRules("", [pattern]).verdict(path, pattern.endsWith("/"))]).toEqual([
      pattern,
      path,
      isLeftOut,
    ]);
  const slow = new IgnoreRules("", [`${"**/[a-z]*/".repeat(40)}[!a]`]);
  const began = workNow();
  slow.verdict(`${"a/".repeat(64)}a`, false);
  expect(workNow() - began).toBeLessThan(100);
});
