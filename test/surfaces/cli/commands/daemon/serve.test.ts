import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inDeep } from "../../../../support/length.ts";
import { living } from "../../../../support/living.ts";
import { toolkeepHere, toolkeepHereJson } from "../../../../support/run-command.ts";
import { homeWithStore } from "../../../../support/store-template.ts";
import { tempHome } from "../../../../support/temp-home.ts";
import { filesystem } from "../../../../support/test-hub.ts";
import { serve, start, toolkeep } from "../../../../support/toolkeep.ts";
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

  inDeep("a second one on the same home says so and exits with code 6", async () => {
    await using home = await homeWithStore();
    await using first = await serve({ home: home.path });
    const second = await toolkeep({ home: home.path }, "serve");
    expect(second).toMatchObject({ code: 6, stderr: expect.stringContaining(`process id ${first.pid}`) });
    expect((await toolkeepHere({ home: home.path }, "agent", "list")).code).toBe(0);
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
