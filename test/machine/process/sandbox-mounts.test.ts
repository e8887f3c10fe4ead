import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { neededPaths, systemMounts } from "../../../src/machine/process/sandbox-mounts.ts";

let home: string;
beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "toolkeep-mounts-")));
  await mkdir(join(home, "node", "bin"), { recursive: true });
  await mkdir(join(home, "kept"));
  await symlink(home, join(home, "node", "link"));
});
afterAll(() => rm(home, { recursive: true }));

const shown = async (PATH: string) => {
  const mounts = await systemMounts(neededPaths({ PATH }), [home, join(home, "kept")]);
  return mounts.flatMap((mount) => ("from" in mount ? [mount.from] : []));
};

it("folders of PATH are shown, but none in which the home lies, by whatever name", async () => {
  expect(await shown(join(home, "node", "bin"))).toContain(join(home, "node", "bin"));
  for (const path of [home, `${home}/`, join(home, "node", "link"), tmpdir(), "/", join(home, "kept")]) {
    const all = await shown(path);
    expect(all.filter((folder) => home.startsWith(folder) || folder.startsWith(home))).toEqual([]);
  }
});

it("of the settings of programs none is shown that may hold a token", async () => {
  const all = await shown("");
  expect(all).not.toContain("/etc/npmrc");
  expect(all).not.toContain("/etc/gitconfig");
});
