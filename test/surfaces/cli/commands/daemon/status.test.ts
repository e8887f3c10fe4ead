import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toolkeepHere, toolkeepHereJson } from "../../../../support/run-command.ts";
import { tempHome } from "../../../../support/temp-home.ts";
import { serve } from "../../../../support/toolkeep.ts";

describe("toolkeep status and logs", { timeout: 120_000 }, () => {
  it("say so where no daemon runs", async () => {
    await using home = await tempHome();
    const options = { home: home.path };
    expect(await toolkeepHere(options, "status")).toMatchObject({
      code: 5,
      stdout: expect.stringMatching(/^daemon: +not running$/m),
    });
    expect(await toolkeepHereJson(options, "status")).toEqual({ running: false, home: home.path });
    expect((await toolkeepHere(options, "logs")).stdout).toContain("No log yet: no daemon has written");
    expect((await toolkeepHere(options, "logs", "--lines", "x")).code).toBe(2);
  });

  it("show a running daemon, what is broken behind it, and its log", async () => {
    await using home = await tempHome();
    const options = { home: home.path };
    await using daemon = await serve(options);
    await toolkeepHere(options, "server", "add", "broken", "--", "toolkeep-test-no-such-program");
    const { code, stdout } = await toolkeepHere(options, "status");
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^daemon: +running, process ${daemon.pid}$`, "m"));
    expect(stdout).toContain(daemon.url);
    expect(stdout).toMatch(/^servers: +1: 1 failed$/m);
    expect(stdout).toContain("broken (failed): fix it: toolkeep server edit broken …");
    expect(await toolkeepHereJson(options, "status")).toMatchObject({ running: true, servers: { total: 1 } });

    const logs = await toolkeepHere(options, "logs");
    expect(logs.stdout).toMatch(/^\d\d:\d\d:\d\d warn mcp server broken: /m);
    const { lines } = await toolkeepHereJson(options, "logs", "--lines", "1");
    expect(lines).toMatchObject([{ msg: expect.any(String) }]);
    await rm(join(home.path, "daemon.log"));
  });

  it("-v and -V print the version", async () => {
    await using home = await tempHome();
    for (const flag of ["-v", "-V", "--version"])
      expect(await toolkeepHere({ home: home.path }, flag)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      });
  });
});
