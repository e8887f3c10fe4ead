import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  backUp,
  backupsOf,
  readSettingsFile,
  writeSettingsFile,
} from "../../../../src/machine/config/edit/settings-files.ts";
import { tempHome } from "../../../support/temp-home.ts";

async function read(path: string) {
  const file = await readSettingsFile(path);
  if (!file.ok) throw new Error(file.error);
  return file.value;
}

describe("a settings file", () => {
  it("is not written when the program it belongs to has written it since it was read", async () => {
    await using home = await tempHome();
    const path = join(home.path, "settings.json");
    await writeFile(path, "before");
    const file = await read(path);
    await writeFile(path, "by the program");
    expect(await writeSettingsFile(file, "by us")).toEqual({
      ok: false,
      error: "it was changed by another program at the same moment",
    });
    expect(await readFile(path, "utf8")).toBe("by the program");
    expect(await readdir(home.path)).toEqual(["settings.json"]);
  });

  it("is not written when it came to be meanwhile", async () => {
    await using home = await tempHome();
    const path = join(home.path, "settings.json");
    const file = await read(path);
    await writeFile(path, "by the program");
    expect((await writeSettingsFile(file, "by us")).ok).toBe(false);
    expect(await readFile(path, "utf8")).toBe("by the program");
  });

  it("keeps every backup, also of the same moment, newest first", async () => {
    await using home = await tempHome();
    const path = join(home.path, "settings.json");
    let now = 1_000;
    for (const text of ["one", "two", "three"]) {
      await writeFile(path, text);
      await backUp(await read(path), () => now);
      if (text === "two") now += 1;
    }
    const texts: string[] = [];
    for await (const backup of backupsOf(path)) texts.push(backup.text);
    expect(texts).toEqual(["three", "two", "one"]);
  });
});
