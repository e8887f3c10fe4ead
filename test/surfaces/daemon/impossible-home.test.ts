import { spawnSync } from "node:child_process";
import { chmod, chown, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/lib/clock.ts";
import { makeFolder } from "../../../src/machine/files/make-folder.ts";
import { createLog } from "../../../src/surfaces/daemon/log/log.ts";
import { startDaemon } from "../../../src/surfaces/daemon/start-daemon.ts";
import { tempHome } from "../../support/temp-home.ts";
import { BIN } from "../../support/toolkeep.ts";

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

const NOBODY = "65534";
/** Root may do everything everywhere, so as root the command runs as somebody else. */
const AS =
  process.getuid?.() === 0
    ? ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", process.execPath]
    : [process.execPath];

describe("a home that its user", () => {
  it.each([
    ["may not write", 0o500],
    ["may not even look into", 0o000],
  ])(
    "%s ends the command at once, and says where",
    async (_, mode) => {
      const [command, ...as] = AS;
      const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
        spawnSync(command!, [...as, ...args], { cwd: "/", env, encoding: "utf8", timeout: 60_000 });
      if (run([BIN, "--version"], { PATH: process.env.PATH, TOOLKEEP_HOME: "/nonexistent" }).status !== 0) {
        console.log("left out: this is root, and nobody else can run the command here");
        return;
      }
      await using folder = await tempHome();
      const home = join(folder.path, "home");
      await mkdir(home);
      if (as.length > 0) await chown(home, Number(NOBODY), Number(NOBODY));
      await chmod(folder.path, 0o755);
      await chmod(home, mode);
      const { status, stderr, signal } = run([BIN, "serve"], {
        PATH: process.env.PATH,
        HOME: "/nonexistent",
        TOOLKEEP_HOME: home,
        TOOLKEEP_PORT: "0",
      });
      await chmod(home, 0o700);
      expect({ status, signal }).toEqual({ status: 5, signal: null });
      expect(stderr).toContain(home);
    },
    120_000,
  );
});
