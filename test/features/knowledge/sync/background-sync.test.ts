import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SourcePlan } from "../../../../src/features/knowledge/sources/source-plan.ts";
import {
  type BackgroundSettings,
  startBackgroundSync,
} from "../../../../src/features/knowledge/sync/background-sync.ts";
import { SourceWatch } from "../../../../src/features/knowledge/sync/watch-sources.ts";
import { SourceTable } from "../../../../src/features/knowledge/tables.ts";
import { silentLog } from "../../../../src/lib/log.ts";
import { type TestSync, testSync } from "../../../support/knowledge-sync.ts";
import { inDeep } from "../../../support/length.ts";
import { tempHome } from "../../../support/temp-home.ts";
import { waitUntil } from "../../../support/wait-until.ts";

function started(t: TestSync, settings: BackgroundSettings, firstMs = 10): AsyncDisposable {
  const background = startBackgroundSync({
    ...{
      home: t.home,
      sync: t.sync,
      sources: new SourceTable(t.store.database),
      sharing: t.store,
      log: silentLog,
      settings: () => settings,
    },
    ...{ quietMs: 50, firstMs, lookMs: 50 },
  });
  return { [Symbol.asyncDispose]: () => background.close() };
}

const planOf = (root: string): SourcePlan => ({
  ...{ kind: "folder", root, isFile: false, ignore: ["*.bak"], gitignore: true, hidden: false },
  ...{ maxFileBytes: 1_000, maxFiles: 1_000, excluded: [join(root, "home")] },
});

const keys = async (t: TestSync) => [...(await t.entities()).keys()].join();

describe("sources", () => {
  test("are synced after the start and at their interval", async () => {
    await using t = await testSync();
    await t.write({ "a.md": "one" });
    await t.sync.addSource({ name: "notes", kind: "folder", config: { path: t.folder } });
    await using _ = started(t, { watch: false, intervalMs: 200 });
    await waitUntil("the first", async () => (await keys(t)) === "a.md", 20_000);
    await t.write({ "b.md": "two" });
    await waitUntil("the next", async () => (await keys(t)) === "a.md,b.md", 20_000);
  });

  test("are synced when something changes, comes or goes in them, also those that are added later", async () => {
    await using t = await testSync();
    await using _ = started(t, { watch: true, intervalMs: 0 });
    await t.write({ "a.md": "one" });
    await t.sync.addSource({ name: "notes", kind: "folder", config: { path: t.folder } });
    // Nothing tells when it is watched, so something changes until it is.
    let count = 0;
    await waitUntil(
      "it is noticed",
      async () => {
        await t.write({ "a.md": `one ${++count}` });
        return (await keys(t)) === "a.md";
      },
      20_000,
    );
    await t.write({ "new/b.md": "two" });
    await waitUntil("a new folder", async () => (await keys(t)) === "a.md,new/b.md", 20_000);
    await rm(join(t.folder, "a.md"));
    await waitUntil("one that went", async () => (await keys(t)) === "new/b.md", 20_000);
  });

  test("that are disabled are left alone", async () => {
    await using t = await testSync();
    await t.write({ "a.md": "one" });
    await t.sync.addSource({ name: "off", kind: "folder", config: { path: t.folder } });
    await t.sync.changeSource("off", { enabled: false });
    await t.sync.addSource({ name: "on", kind: "folder", config: { path: t.folder } });
    await using _ = started(t, { watch: false, intervalMs: 100 });
    const synced = async () =>
      (await t.sync.sources()).map(({ name, lastSync }) => [name, lastSync !== null]);
    await waitUntil("the other was synced", async () => (await synced())[1]![1] === true, 20_000);
    expect(await synced()).toEqual([
      ["off", false],
      ["on", true],
    ]);
  });
});

inDeep("a watch tells once of many changes, and of a file that is replaced", async () => {
  await using folder = await tempHome();
  const file = join(folder.path, "Bookmarks");
  await writeFile(file, "one");
  const told: string[] = [];
  const watching = new SourceWatch({
    ...{ onChanged: (source) => told.push(source), quietMs: 500 },
    onProblem: (_, error) => {
      throw error;
    },
  });
  await watching.set([{ source: "bookmarks", plan: { ...planOf(file), isFile: true } }]);
  for (let round = 0; round < 20; round++) await writeFile(file, `again ${round}`);
  await waitUntil("it is told", () => told.length > 0);
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(told).toEqual(["bookmarks"]);
  await writeFile(join(folder.path, "new"), "two");
  await rename(join(folder.path, "new"), file);
  await waitUntil("it is told again", () => told.length > 1);
  await watching.close();
});

inDeep(
  "a watch tells nothing of what no scan would come to, such as the home in a source around it",
  async () => {
    await using folder = await tempHome();
    const at = (name: string) => join(folder.path, name);
    for (const name of ["home", ".cache", "build"]) await mkdir(at(name));
    await writeFile(at(".gitignore"), "build/\n");
    const told: string[] = [];
    const watching = new SourceWatch({
      ...{ onChanged: (source) => told.push(source), quietMs: 20 },
      onProblem: (_, error) => {
        throw error;
      },
    });
    await watching.set([{ source: "around", plan: planOf(folder.path) }]);
    for (let round = 0; round < 10; round++) {
      for (const name of ["home/knowledge.md", ".cache/a.md", "build/a.md", "a.bak", "a.db-journal", ".b.md"])
        await writeFile(at(name), String(round));
      await rm(at("a.db-journal"));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(told).toEqual([]);
    await writeFile(at("a.md"), "seen");
    await waitUntil("it is told", () => told.length > 0, 20_000);
    await watching.close();
  },
);

test("a watch says of a place that is not there that it cannot be watched", async () => {
  const problems: string[] = [];
  const watching = new SourceWatch({ onChanged: () => {}, onProblem: (source) => problems.push(source) });
  await watching.set([{ source: "gone", plan: planOf("/nowhere/at/all") }]);
  expect(problems).toEqual(["gone"]);
  await watching.close();
});
