import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { tempHome } from "./temp-home.ts";

/** A folder as the build leaves it, with one small script; gone with the test. */
export async function builtDashboard(): Promise<string> {
  const { path, ...home } = await tempHome();
  onTestFinished(() => home[Symbol.asyncDispose]());
  await mkdir(join(path, "assets"));
  await writeFile(
    join(path, "index.html"),
    '<link rel="stylesheet" href="./assets/main.css"><script type="module" src="./assets/main.js"></script>',
  );
  await writeFile(join(path, "assets/main.js"), "plain");
  await writeFile(join(path, "assets/main.js.br"), "brotli");
  await writeFile(join(path, "assets/main.js.gz"), "gzip");
  await writeFile(join(path, "secret.js"), "not for anybody");
  return path;
}
