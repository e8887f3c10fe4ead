import { spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeNewTool } from "../../../src/features/custom-tools/new-tool.ts";
import { LANGUAGES } from "../../../src/features/custom-tools/templates.ts";
import { enableTool } from "../../support/custom.ts";
import { tempHome } from "../../support/temp-home.ts";
import { testHub } from "../../support/test-hub.ts";

describe("a new tool", () => {
  it.each(LANGUAGES)("in %s works as it is written", async (language) => {
    if (language === "py" && spawnSync("python3", ["--version"]).status !== 0) {
      console.log("left out: python3 is not on the PATH");
      return;
    }
    await using test = await testHub();
    const view = await test.hub.custom.create(`greet_${language}`, language);
    expect(view).toMatchObject({
      name: `custom_greet_${language}`,
      status: { kind: "disabled" },
      enabled: null,
    });
    await enableTool(test, view.slug);
    const { outcome, text } = await test.call(view.name, { name: "Ada" });
    expect([outcome, text]).toEqual(["ok", expect.stringContaining("Hello, Ada!")]);
    expect((await test.call(view.name, {})).outcome).toBe("invalid_arguments");
  });

  it("takes its name with or without custom_, and never the place of another", async () => {
    await using home = await tempHome();
    const root = join(home.path, "tools");
    expect(await writeNewTool(root, "custom_hello", "sh")).toBe("hello");
    await expect(writeNewTool(root, "hello", "py")).rejects.toMatchObject({ code: "NAME_TAKEN" });
    expect(await readdir(join(root, "hello"))).toEqual(["tool.json", "tool.sh"]);
  });

  it.each(["", "Hello", "a-b", "../x", "a/b", "1st", "x".repeat(41), "a\0"])(
    "cannot be called %j",
    async (name) => {
      await using home = await tempHome();
      await expect(writeNewTool(join(home.path, "tools"), name, "sh")).rejects.toMatchObject({
        code: "NAME_INVALID",
      });
      expect(await readdir(home.path)).toEqual([]);
    },
  );
});
