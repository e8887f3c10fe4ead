import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hashContent } from "../../../../src/features/plugins/package/content.ts";
import { readManifest } from "../../../../src/features/plugins/package/manifest.ts";
import { writePlugin } from "../../../support/plugin.ts";
import { tempHome } from "../../../support/temp-home.ts";

describe("the manifest of a plugin", () => {
  it.each([
    ["{", "is not JSON"],
    ["[]", "does not contain an object"],
    ['{"name":"../x"}', "name is missing or not a valid npm name"],
    ['{"name":"x"}', 'no "toolkeep" field'],
    ['{"name":"x","toolkeep":{"entries":1}}', 'unknown key "entries"'],
    ['{"name":"x","toolkeep":{"entry":"missing.js"}}', "does not exist; build the plugin first"],
    ['{"name":"x","toolkeep":{"entry":"../outside.js"}}', "outside the plugin's folder"],
    ['{"name":"x","toolkeep":{"entry":"inside"}}', "is not a file"],
    ['{"name":"x","toolkeep":{"entry":7}}', "expected the path of a file"],
  ])("%s is refused", async (text, message) => {
    await using home = await tempHome();
    const folder = join(home.path, "plugin");
    await mkdir(join(folder, "inside"), { recursive: true });
    await writeFile(join(home.path, "outside.js"), "");
    await writeFile(join(folder, "package.json"), text);
    expect(await readManifest(folder)).toEqual({ ok: false, error: expect.stringContaining(message) });
  });

  it("says what people read, bounded and without control characters", async () => {
    await using home = await tempHome();
    const folder = await writePlugin(home.path, {});
    const text = {
      ...{ name: "x", version: "1.0.0\u001b[31m", description: "d".repeat(10_000) },
      toolkeep: { entry: "index.js", tools: ["a", { name: "b", description: "does b" }, 7, { name: "" }] },
    };
    await writeFile(join(folder, "package.json"), JSON.stringify(text));
    const read = await readManifest(folder);
    expect(read).toMatchObject({
      value: {
        version: "1.0.0 [31m",
        announced: [
          { name: "a", description: "" },
          { name: "b", description: "does b" },
        ],
      },
    });
    expect(read.ok && read.value.description.length).toBe(500);
  });
});

describe("the content of a plugin", () => {
  it("has another hash with every change of a file, its name, or a link, and with none of its history", async () => {
    await using home = await tempHome();
    const folder = await writePlugin(home.path, {});
    const hash = async () => {
      const hashed = await hashContent(folder);
      return hashed.ok ? hashed.value : hashed.error;
    };
    const seen = [await hash()];
    await writeFile(join(folder, "more.js"), "a");
    seen.push(await hash());
    await writeFile(join(folder, "more.js"), "b");
    seen.push(await hash());
    await symlink("more.js", join(folder, "link.js"));
    seen.push(await hash());
    expect(new Set(seen).size).toBe(4);
    await mkdir(join(folder, ".git"));
    await writeFile(join(folder, ".git", "HEAD"), "x");
    expect(await hash()).toBe(seen[3]);
  });

  it.each(["/etc/passwd", "../outside", "nowhere"])("may not have a link to %s", async (target) => {
    await using home = await tempHome();
    const folder = await writePlugin(join(home.path, "plugin"), {});
    await symlink(target, join(folder, "link"));
    expect(await hashContent(folder)).toEqual({ ok: false, error: expect.stringContaining("leads out") });
  });
});
