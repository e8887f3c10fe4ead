import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { firstLoadBytes } from "../../scripts/build-dashboard.mjs";
import { tempHome } from "../support/temp-home.ts";

it("the first load is the page, what it names, Home, and what those import; no other page", async () => {
  await using folder = await tempHome();
  const assets = join(folder.path, "assets");
  await mkdir(assets);
  const page = '<link href="./assets/main.css"><script src="./assets/main.js"></script>';
  await writeFile(join(folder.path, "index.html"), page);
  const parts = {
    "main.css": "",
    "main.js": 'import{a}from"./shared.js";import("./other-page.js")',
    "shared.js": "",
    "home-page.js": 'import"./chart.js"',
    "chart.js": "",
    "other-page.js": "",
  };
  for (const [name, text] of Object.entries(parts)) {
    await writeFile(join(assets, name), text);
    await writeFile(join(assets, `${name}.gz`), "x".repeat(1_000));
  }
  const bytes = firstLoadBytes(folder.path);
  expect(bytes).toBeGreaterThan(5_000);
  expect(bytes).toBeLessThan(6_000);
});
