import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { living } from "../support/living.ts";
import { tempHome } from "../support/temp-home.ts";
import { BIN, environment } from "../support/toolkeep.ts";
import { waitUntil } from "../support/wait-until.ts";

const PACKAGE = join(import.meta.dirname, "../../package.json");

describe("a daemon that npm start began", { timeout: 120_000 }, () => {
  it.each<[NodeJS.Signals, "npm" | "parent", How]>([
    ["SIGTERM", "npm", "as it is"],
    ["SIGINT", "npm", "as it is"],
    ["SIGHUP", "npm", "as it is"],
    ["SIGKILL", "npm", "as it is"],
    ["SIGTERM", "parent", "as it is"],
    ["SIGKILL", "parent", "as it is"],
    ["SIGTERM", "npm", "by a shell that npm leaves in between"],
    ["SIGKILL", "npm", "by a shell that npm leaves in between"],
    ["SIGTERM", "parent", "by a shell that npm leaves in between"],
    ["SIGKILL", "parent", "by a shell that npm leaves in between"],
  ])("ends with %s to %s, started %s", async (signal, whom, how) => {
    await using folder = await tempHome();
    const { scripts } = JSON.parse(await readFile(PACKAGE, "utf8"));
    // The very script, of a package that has nothing to build.
    const exact = scripts.start.replace("bin/toolkeep", `'${BIN}'`);
    // A shell that has something to do afterwards stays; it does not hand on what it is told.
    const start =
      how === "by a shell that npm leaves in between" ? `${exact.replace(/^exec /, "")}; true` : exact;
    await writeFile(join(folder.path, "package.json"), JSON.stringify({ name: "x", scripts: { start } }));
    await copyFile("/dev/null", join(folder.path, ".npmrc"));
    const home = join(folder.path, "home");
    const npm = spawn("npm", ["start"], {
      cwd: folder.path,
      env: environment({ home }),
      stdio: "ignore",
    });
    const ended = once(npm, "close");
    let daemon = 0;
    await waitUntil(
      "the daemon is ready",
      async () => {
        const text = await readFile(join(home, "daemon.json"), "utf8").catch(() => "{}");
        daemon = JSON.parse(text).pid ?? 0;
        return daemon !== 0;
      },
      60_000,
    );
    try {
      process.kill(whom === "npm" ? npm.pid! : await parentOf(daemon), signal);
      await waitUntil("the daemon is gone", async () => (await living([daemon])).length === 0, 30_000);
    } finally {
      for (const pid of await living([npm.pid!, daemon])) process.kill(pid, "SIGKILL");
    }
    await ended;
    // It ended by itself, and tidily.
    expect(await readFile(join(home, "daemon.json"), "utf8").catch(() => "gone")).toBe("gone");
  });
});

type How = "as it is" | "by a shell that npm leaves in between";

/** What stands between npm and the daemon, or npm itself. */
async function parentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^PPid:\s*(\d+)$/m.exec(status)![1]);
}
