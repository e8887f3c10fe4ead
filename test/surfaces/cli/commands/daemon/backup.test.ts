import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toolkeepHere, toolkeepHereJson } from "../../../../support/run-command.ts";
import { homeWithStore } from "../../../../support/store-template.ts";
import { tempHome } from "../../../../support/temp-home.ts";
import { serve, toolkeep } from "../../../../support/toolkeep.ts";

describe("toolkeep backup and restore", { timeout: 120_000 }, () => {
  it("of a running daemon gives a fresh home the same agents, servers and tokens", async () => {
    await using home = await homeWithStore();
    await using fresh = await tempHome();
    const options = { home: home.path };
    await using _daemon = await serve(options);
    await toolkeepHere(options, "agent", "create", "writer", "--toolbox", "all", "--grant", "mcp_x_y");
    await toolkeepHere(options, "server", "add", "s", "--no-test", "--env", "KEY=value", "--", "false");
    await toolkeepHere(options, "server", "add", "gone", "--no-test", "--", "false");
    await toolkeepHere(options, "server", "remove", "gone", "--yes");
    const file = join(home.path, "backup.gz");
    expect(await toolkeep(options, "backup", file)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("2 agents, 1 server, 1 token."),
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await toolkeepHere(options, "backup", file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--force"),
    });
    expect((await toolkeepHere(options, "restore", file)).code).toBe(6);

    const restored = { home: join(fresh.path, "home"), cwd: fresh.path };
    expect((await toolkeep(restored, "restore", file)).code).toBe(0);
    for (const [noun, key] of [
      ["agent", "agents"],
      ["token", "tokens"],
      ["server", "servers"],
    ] as const) {
      const [before, after] = await Promise.all([
        toolkeepHereJson(options, noun, "list"),
        toolkeepHereJson(restored, noun, "list"),
      ]);
      expect(after[key].map(lasting)).toEqual(before[key].map(lasting));
    }
    expect(await toolkeepHere(restored, "restore", file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("in use"),
    });
  });
});

/** Whether a server is connected differs from process to process; what it is does not. */
function lasting({ state: _, lastError: __, ...record }: Record<string, unknown>) {
  return record;
}
