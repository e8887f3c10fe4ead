import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keptWaiting } from "../../../../support/kept-waiting.ts";
import { living } from "../../../../support/living.ts";
import { homeWithStore } from "../../../../support/store-template.ts";
import { BIN, environment, serve, start } from "../../../../support/toolkeep.ts";
import { waitUntil } from "../../../../support/wait-until.ts";

describe("toolkeep serve", { timeout: 120_000 }, () => {
  it("is ready again in about a second", async () => {
    await using home = await homeWithStore();
    await (await serve({ home: home.path })).end();
    await using again = await serve({ home: home.path });
    // Half a second on an idle machine; the limit leaves room for one that is busy with other tests.
    expect(again.ready.readyMs - keptWaiting(again.pid)).toBeLessThan(5_000);
  });

  it("waits for a command that has the home at the moment", async () => {
    await using home = await homeWithStore();
    const options = { home: home.path };
    const command = start(options, ["call", "run_shell", "command=touch began; sleep 2"]);
    await waitUntil("the command has the home", () =>
      existsSync(join(home.path, "workspaces/operator/began")),
    );
    await using daemon = await serve(options);
    expect(daemon.ready.url).toContain("127.0.0.1");
    await waitUntil("the command ended by itself", () => command.child.exitCode === 0);
  });

  it("that npm began ends tidily when what stands between them is killed", async () => {
    await using home = await homeWithStore();
    const env = environment({ home: home.path, env: { npm_lifecycle_event: "start" } });
    const words = ["-c", '"$@" & wait', "sh", process.execPath, BIN, "serve"];
    const shell = spawn("sh", words, { env, cwd: home.path, stdio: "ignore" });
    const file = join(home.path, "daemon.json");
    await waitUntil("the daemon is ready", () => existsSync(file), 60_000);
    const { pid } = JSON.parse(await readFile(file, "utf8"));
    try {
      shell.kill("SIGKILL");
      await waitUntil("the daemon is gone", async () => (await living([pid])).length === 0, 30_000);
    } finally {
      for (const left of await living([pid])) process.kill(left, "SIGKILL");
    }
    expect(existsSync(file)).toBe(false);
  });
});
