import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { tempHome } from "../support/temp-home.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const TEMPLATE = join(ROOT, "test/support/diary");

/** "How to add a feature" of AGENTS.md. */
async function guide(): Promise<string> {
  const text = await readFile(join(ROOT, "AGENTS.md"), "utf8");
  return text.split("## How to add a feature")[1]!.split("\n## ")[0]!;
}

it("the guide in AGENTS.md, followed to the letter, adds a feature", async () => {
  const text = await guide();
  const named = [...text.matchAll(/^ {3}\| ((?:`[a-z-]+\.ts` ?)+)\|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, file]) => file!),
  );
  expect(named.sort()).toEqual((await readdir(TEMPLATE)).sort());
  const [, line] = /```ts\n\s*(import .*;)\n/.exec(text)!;

  // A checkout of its own, with the same packages.
  await using checkout = await tempHome();
  const { path } = checkout;
  await Promise.all([
    ...["src", "bin"].map((folder) => cp(join(ROOT, folder), join(path, folder), { recursive: true })),
    ...["package.json", "tsconfig.json", "tsconfig.build.json"].map((file) =>
      cp(join(ROOT, file), join(path, file)),
    ),
    symlink(join(ROOT, "node_modules"), join(path, "node_modules")),
  ]);

  // Step 1: the folder.
  const folder = join(path, "src/features/diary");
  await mkdir(folder);
  for (const file of named) {
    const source = await readFile(join(TEMPLATE, file), "utf8");
    await writeFile(join(folder, file), source.replaceAll("../../../src/", "../../"));
  }
  // Step 2: the line, and the name in the list.
  const list = join(path, "src/features.ts");
  const before = await readFile(list, "utf8");
  const after = `${line}\n${before.replace(/(FEATURES[^=]*= \[)/, "$1diary, ")}`;
  expect(after.split("\n").length).toBe(before.split("\n").length + 1);
  await writeFile(list, after);

  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [tsc, "--noCheck", "-p", "tsconfig.build.json"], { cwd: path });
  await mkdir(join(path, "dist/bundle"));
  await writeFile(join(path, "dist/bundle/main.js"), 'export { main } from "../surfaces/cli/main.js";\n');

  const env = { ...process.env, TOOLKEEP_HOME: join(path, "home") };
  const toolkeep = async (...args: string[]) =>
    (await run(process.execPath, [join(path, "bin/toolkeep"), ...args], { cwd: path, env })).stdout;
  expect(await toolkeep("--help")).toContain("diary");
  await toolkeep("diary", "write", "2026-11-18", "The canary sang.");
  expect(await toolkeep("diary", "list")).toContain("2026-11-18  The canary sang.");
  await toolkeep("secret", "rotate-key");
  expect(await toolkeep("diary", "list")).toContain("The canary sang.");
  expect(await toolkeep("doctor").catch(({ stdout }) => stdout as string)).toContain(
    "diary: 1 of 100 entries",
  );
  await toolkeep("backup", join(path, "backup.json.gz"));
  await toolkeep("restore", join(path, "backup.json.gz"), "--force", "--yes");
  expect(await toolkeep("diary", "list")).toContain("The canary sang.");
}, 300_000);
