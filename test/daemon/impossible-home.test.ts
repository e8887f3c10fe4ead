import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLog } from "../../src/daemon/log.ts";
import { startDaemon } from "../../src/daemon/start-daemon.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { makeFolder } from "../../src/lib/make-folder.ts";
import { tempHome } from "../support/temp-home.ts";

const HOMES: Record<string, (folder: string) => Promise<string>> = {
  "in a file system that makes no folders": async () => "/proc/foo",
  "deep in one": async () => "/proc/foo/bar/baz",
  "that is a file": async (folder) => {
    await writeFile(join(folder, "file"), "");
    return join(folder, "file");
  },
  "below a file": async (folder) => {
    await writeFile(join(folder, "file"), "");
    return join(folder, "file", "home");
  },
  "that is a device": async () => "/dev/null",
  "that is a link to nowhere": async (folder) => {
    await symlink(join(folder, "nowhere"), join(folder, "link"));
    return join(folder, "link");
  },
  "whose name is too long": async (folder) => join(folder, "x".repeat(300)),
};

describe("a home", () => {
  it.each(Object.keys(HOMES))("%s is an error at once, and says where", async (kind) => {
    await using folder = await tempHome();
    const home = await HOMES[kind]!(folder.path);
    const starting = startDaemon({
      env: { TOOLKEEP_HOME: home, TOOLKEEP_PORT: "0" },
      cwd: folder.path,
      log: createLog({ level: "error", human: false, write() {} }),
      version: "0",
      clock: systemClock,
      firstStart: false,
    });
    await expect(starting).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining(home.slice(0, 20)),
    });
  });

  it("that is relative is one below the folder that the command runs in", async () => {
    await using folder = await tempHome();
    const daemon = await startDaemon({
      env: { TOOLKEEP_HOME: "new/home", TOOLKEEP_PORT: "0" },
      cwd: folder.path,
      log: createLog({ level: "error", human: false, write() {} }),
      version: "0",
      clock: systemClock,
      firstStart: false,
    });
    expect(daemon.home).toBe(join(folder.path, "new/home"));
    await daemon.close();
  });

  it("is made by several at once, and kept where it is there", async () => {
    await using folder = await tempHome();
    const deep = join(folder.path, "a/b/c/d");
    await Promise.all(Array.from({ length: 8 }, () => makeFolder(deep)));
    await mkdir(join(deep, "kept"));
    await makeFolder(deep);
  });
});
