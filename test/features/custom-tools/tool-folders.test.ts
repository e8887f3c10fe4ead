import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EMPTY_SCAN, ToolFolders } from "../../../src/features/custom-tools/tool-folders.ts";
import { writeTool } from "../../support/custom.ts";
import { tempHome } from "../../support/temp-home.ts";

const foldersOf = (home: string) => new ToolFolders(home, () => process.env.PATH);

describe("the folders of tools", () => {
  it("that are as they were are not read again", async () => {
    await using home = await tempHome();
    await writeTool(home.path, "one", "echo 1");
    await writeTool(home.path, "two", "echo 2");
    const folders = foldersOf(home.path);
    const first = await folders.scan(EMPTY_SCAN);
    expect([...first.tools.keys()]).toEqual(["one", "two"]);
    await writeTool(home.path, "two", "echo 3");
    const second = await folders.scan(first);
    expect(second.tools.get("one")).toBe(first.tools.get("one"));
    expect(second.tools.get("two")?.sha256).not.toBe(first.tools.get("two")?.sha256);
  });

  it("are watched with those in them, also while they cannot be used", async () => {
    await using home = await tempHome();
    const folder = await writeTool(home.path, "one", "echo 1", { entry: "bin/tool.sh" });
    await mkdir(join(home.path, "tools", "empty"));
    const { folders, tools } = await foldersOf(home.path).scan(EMPTY_SCAN);
    const tooled = join(home.path, "tools");
    expect([...folders].sort()).toEqual([tooled, join(tooled, "empty"), folder, join(folder, "bin")]);
    expect(tools.get("empty")?.read).toEqual({ ok: false, error: "the folder has no tool.json" });
  });

  it("are the first 200; of the others is told", async () => {
    await using home = await tempHome();
    for (let index = 0; index < 202; index++)
      await mkdir(join(home.path, "tools", `t${String(index).padStart(3, "0")}`), { recursive: true });
    const { tools, problems } = await foldersOf(home.path).scan(EMPTY_SCAN);
    expect(tools.size).toBe(200);
    expect(problems).toEqual([
      expect.stringMatching(/^t200: only the first 200/),
      expect.stringMatching(/^t201/),
    ]);
  });

  it("need not be there, nor be folders: a hub starts all the same", async () => {
    await using home = await tempHome();
    expect((await foldersOf(home.path).scan(EMPTY_SCAN)).problems).toEqual([]);
    await using other = await tempHome();
    await writeFile(join(other.path, "tools"), "no folder");
    expect(await foldersOf(other.path).scan(EMPTY_SCAN)).toMatchObject({
      problems: [expect.stringContaining("cannot be read (EEXIST)")],
    });
  });
});
