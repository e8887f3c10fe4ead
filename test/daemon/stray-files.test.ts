import { mkdir, readdir, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { removeStrayFiles } from "../../src/daemon/stray-files.ts";
import { randomId } from "../../src/lib/id.ts";
import { tempHome } from "../support/temp-home.ts";

const HOUR = 3_600_000;

test("what writes that were killed left in the home goes, everything else stays", async () => {
  await using home = await tempHome();
  await using elsewhere = await tempHome();
  const put = async (path: string, ageMs = 2 * HOUR, root = home.path) => {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "x");
    const at = (Date.now() - ageMs) / 1_000;
    await utimes(file, at, at);
  };
  const draft = () => `.${randomId("tmp")}`;
  const gone = [
    `workspaces/main/${draft()}`,
    `workspaces/main/deep/er/${draft()}`,
    "daemon.json.0a1b2c3d",
    "audit-head.part",
  ];
  const stay = ["workspaces/main/.tmp_", "workspaces/main/notes.part", "daemon.json", "key", "toolkeep.db"];
  for (const path of [...gone, ...stay]) await put(path);
  const young = `workspaces/main/${draft()}`;
  await put(young, 0);
  const outside = draft();
  await put(outside, 2 * HOUR, elsewhere.path);
  await symlink(elsewhere.path, join(home.path, "workspaces/main/link"));

  const removed = await removeStrayFiles(home.path, Date.now(), new AbortController().signal);

  expect(removed).toBe(gone.length);
  const left = (await readdir(home.path, { recursive: true })) as string[];
  for (const path of [...stay, young]) expect(left).toContain(path);
  for (const path of gone) expect(left).not.toContain(path);
  expect(await readdir(elsewhere.path)).toEqual([outside]);
});
