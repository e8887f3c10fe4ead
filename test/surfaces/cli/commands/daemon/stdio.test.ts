import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleOf } from "../../../../support/length.ts";
import { living } from "../../../../support/living.ts";
import { toolkeepHere, toolkeepHereJson } from "../../../../support/run-command.ts";
import { homeWithStore } from "../../../../support/store-template.ts";
import { tempHome } from "../../../../support/temp-home.ts";
import { start, toolkeep } from "../../../../support/toolkeep.ts";
import { waitUntil } from "../../../../support/wait-until.ts";

describe("toolkeep stdio", { timeout: 120_000 }, () => {
  it("says what it needs when TOOLKEEP_TOKEN is missing", async () => {
    await using home = await tempHome();
    const { code, stdout, stderr } = await toolkeep({ home: home.path }, "stdio");
    expect([code, stdout]).toEqual([4, ""]);
    expect(stderr).toContain("TOOLKEEP_TOKEN");
  });

  it("several at once start one daemon and are all answered", async () => {
    await using home = await homeWithStore();
    const options = { home: home.path };
    await toolkeepHere(options, "agent", "create", "main");
    const { token } = await toolkeepHereJson(options, "token", "create", "--agent", "main");
    const clients = sampleOf([1, 2, 3], 2).map(() =>
      start({ home: home.path, env: { TOOLKEEP_TOKEN: token } }, ["stdio"]),
    );
    for (const { child } of clients) child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    try {
      for (const client of clients) {
        await waitUntil(
          `an answer comes: ${client.stderr()}`,
          () => client.stdout().includes('"serverInfo"'),
          60_000,
        );
      }
    } finally {
      const { pid } = JSON.parse(await readFile(join(home.path, "daemon.json"), "utf8"));
      for (const { child } of clients) child.stdin.end();
      await Promise.all(
        clients.map(({ child }) => waitUntil("the relay ended", () => child.exitCode !== null)),
      );
      process.kill(pid, "SIGTERM");
      await waitUntil("the one daemon ended", async () => (await living([pid])).length === 0);
    }
    expect(existsSync(join(home.path, "daemon.json"))).toBe(false);
  });
});

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
