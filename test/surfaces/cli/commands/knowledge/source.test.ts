import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempHome } from "../../../../support/temp-home.ts";
import { testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";

it("toolkeep source adds, shows, changes, tests and removes where knowledge comes from", async () => {
  await using api = await testApi();
  await using place = await tempHome();
  const cwd = place.path;
  await mkdir(join(cwd, "notes"));
  await writeFile(join(cwd, "notes", "a.md"), "# Door\n\nIt is green.");
  await writeFile(join(cwd, "notes", "b.pdf"), "no pdf");
  const source = (...args: string[]) => typed(api, ["source", ...args], { cwd });

  expect((await source("list")).out).toContain("Only the inbox exists so far");
  expect((await source("test", "folder", "notes")).out).toBe(
    "2 files would be read.\n  a.md: Door, 1 chunk\n  b.pdf: not read, it is not a PDF, or a broken one\n",
  );
  expect(await source("test", "folder", "absent")).toMatchObject({
    code: 1,
    out: expect.stringContaining("The source cannot be read: "),
  });

  const added = await source("add", "folder", "notes", "--name", "notes", "--ignore", "*.pdf");
  expect(added.out).toBe("Added notes. Sync it now: toolkeep sync notes\n");
  // A path is that of whoever types, not of the daemon.
  const shown = JSON.parse((await source("show", "notes", "--json")).out).source;
  expect(shown).toMatchObject({ config: { path: join(cwd, "notes"), ignore: ["*.pdf"] }, label: null });
  expect((await source("list")).out).toMatch(/notes +folder +0 +0 +never synced +never/);
  expect((await source("show", "notes")).out).toContain("0, 0 with vectors");

  const edited = await source("edit", "notes", "--label", "private", "--max-files", "5", "--disable");
  expect(edited.out).toContain("Changed notes.");
  const after = JSON.parse((await source("show", "notes", "--json")).out).source;
  // What is not given stays.
  expect(after).toMatchObject({
    label: "private",
    enabled: false,
    config: { ...shown.config, max_files: 5 },
  });
  expect((await source("list")).out).toMatch(/notes +folder +0 +0 +disabled +never +private/);
  await source("edit", "notes", "--no-label", "--enable", "--rename", "papers");
  expect(JSON.parse((await source("show", "papers", "--json")).out).source).toMatchObject({
    ...{ label: null, enabled: true },
  });

  expect((await source("remove", "papers", "--yes")).out).toBe(
    "Removed papers and its documents from the index.\n",
  );
  expect((await source("show", "papers")).code).toBe(3);
});

it("toolkeep source says what is wrong with what was typed", async () => {
  await using api = await testApi();
  const failing = async (...args: string[]) => {
    const { code, err } = await typed(api, ["source", ...args]);
    return [code, err];
  };
  expect(await failing("add", "nonsense")).toEqual([2, expect.stringContaining("folder, obsidian")]);
  expect(await failing("edit", "inbox")).toEqual([2, expect.stringContaining("nothing to change")]);
  expect(await failing("edit", "inbox", "--enable", "--disable")).toEqual([
    2,
    expect.stringContaining("opposites"),
  ]);
  expect(await failing("add", "folder", ".", "--max-files", "many")).toEqual([
    2,
    expect.stringContaining("--max-files must be a number above 0"),
  ]);
});
