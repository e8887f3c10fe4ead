import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { renderSettingKeys, settingKeys } from "../../../src/machine/config/setting-keys.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/settings.md"), "utf8");

describe("docs/settings.md", () => {
  test("has the table of every key as the program renders it", () => {
    expect(page).toContain(renderSettingKeys());
  });

  test("names every key and every variable", () => {
    const names = settingKeys.flatMap(({ key, env }) => (env === null ? [key] : [key, env]));
    expect([...names, "TOOLKEEP_HOME"].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
