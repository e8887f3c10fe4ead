import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keptWaiting } from "../../../../support/kept-waiting.ts";
import { living } from "../../../../support/living.ts";
import { toolkeepHere, toolkeepHereJson } from "../../../../support/run-command.ts";
import { homeWithStore } from "../../../../support/store-template.ts";
import { tempHome } from "../../../../support/temp-home.ts";
import { filesystem } from "../../../../support/test-hub.ts";
import { BIN, environment, serve, start, toolkeep } from "../../../../support/toolkeep.ts";
import { waitUntil } from "../../../../support/wait-until.ts";

describe("toolkeep serve", { timeout: 120_000 }, () => {
  it("prints at the first start the address, what to paste into a client and what to do next", async () => {
    await using home = await tempHome();
    const first = start({ home: home.path }, ["serve"]);
    await waitUntil("it is ready", () => first.stdout().includes("Ready in"), 60_000);
    expect(first.stdout()).toMatch(
      /claude mcp add --transport http toolkeep (http:\/\/127\.0\.0\.1:\d+)\/mcp --header "Authorization: Bearer tk_sk_/,
    );
    expect(first.stdout()).toContain('"mcpServers"');
    expect(first.stdout()).toContain("\n  toolkeep server add");
    first.child.kill("SIGINT");
    await waitUntil("it ended", () => first.child.exitCode !== null);
    expect(first.child.exitCode).toBe(0);

    const second = start({ home: home.path }, ["serve"]);
    await waitUntil("it is ready again", () => second.stdout().includes("ready in"), 60_000);
    expect(second.stdout().trim().split("\n")).toHaveLength(2);
    expect(second.stdout()).not.toContain("tk_sk_");
    second.child.kill("SIGTERM");
    await waitUntil("it ended again", () => second.child.exitCode !== null);
  });

  it("is ready again in about a second", async () => {
    await using home = await homeWithStore();
    await (await serve({ home: home.path })).end();
    await using again = await serve({ home: home.path });
    // Half a second on an idle machine; the limit leaves room for one that is busy with other tests.
    expect(again.ready.readyMs - keptWaiting(again.pid)).toBeLessThan(5_000);
  });

  it("a second one on the same home says so and exits with code 6", async () => {
    await using home = await homeWithStore();
    await using first = await serve({ home: home.path });
    const second = await toolkeep({ home: home.path }, "serve");
    expect(second).toMatchObject({ code: 6, stderr: expect.stringContaining(`process id ${first.pid}`) });
    expect((await toolkeepHere({ home: home.path }, "agent", "list")).code).toBe(0);
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

  it("killed with -9 leaves a store that opens and no orphan", async () => {
    await using home = await homeWithStore();
    const options = { home: home.path };
    // In a sandbox the command could not write where this looks.
    await writeFile(join(home.path, "config.json"), JSON.stringify({ shell: { sandbox: "off" } }));
    await using daemon = await serve(options);
    const { command, args } = filesystem(home.path);
    await toolkeepHere(options, "server", "add", "fs", "--", command, ...args);
    const pidFile = join(home.path, "shell.pid");
    const call = toolkeepHere(options, "call", "run_shell", `command=echo $$ > ${pidFile}; sleep 600`);
    await waitUntil("the command runs", () => existsSync(pidFile) || daemon.child.exitCode !== null);
    await waitUntil("its pid is written", async () => (await readFile(pidFile, "utf8")).trim() !== "");
    const orphan = Number(await readFile(pidFile, "utf8"));

    await daemon.end("SIGKILL");
    expect((await call).code).toBe(5);
    await waitUntil("nothing it started is left", async () => (await living([orphan])).length === 0);
    const { servers } = await toolkeepHereJson(options, "server", "list");
    expect(servers).toMatchObject([{ name: "fs", toolCount: expect.any(Number) }]);
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

  it("finishes calls under way before it ends", async () => {
    await using home = await homeWithStore();
    const options = { home: home.path };
    await using daemon = await serve(options);
    const marker = join(home.path, "workspaces/operator/began");
    const call = toolkeepHere(options, "call", "run_shell", "command=touch began; sleep 2; echo finished");
    await waitUntil("the command runs", () => existsSync(marker));
    expect(await daemon.end("SIGTERM")).toBe(0);
    expect(await call).toMatchObject({ code: 0, stdout: expect.stringContaining("finished") });
  });
});
