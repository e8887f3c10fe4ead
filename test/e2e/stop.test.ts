import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connectClient } from "../support/connect-client.ts";
import { sampleOf } from "../support/length.ts";
import { pidsWith } from "../support/pids-with.ts";
import { toolkeepHere } from "../support/run-command.ts";
import { stopwatch } from "../support/stopwatch.ts";
import { homeWithStore } from "../support/store-template.ts";
import type { Era } from "../support/test-gateway.ts";
import { INITIALIZE } from "../support/test-gateway.ts";
import { serve, start } from "../support/toolkeep.ts";
import { waitUntil } from "../support/wait-until.ts";

describe("SIGTERM", { timeout: 120_000 }, () => {
  it.each(sampleOf<Era>(["legacy", "modern"], 1))(
    "lets a call of a client of the %s era finish first",
    async (era) => {
      await using home = await homeWithStore();
      await using daemon = await serve({ home: home.path });
      await using connected = await connectClient(daemon.url, daemon.ready.firstStart.token, era);
      const call = connected.client.callTool({
        name: "run_shell",
        arguments: { command: "touch began; sleep 2; echo finished" },
      });
      await waitUntil("the command runs", () => existsSync(join(home.path, "workspaces/main/began")));
      const ended = daemon.end("SIGTERM");
      expect(JSON.stringify((await call).content)).toContain("finished");
      expect(await ended).toBe(0);
    },
  );

  it("lets a call finish that waits for the answer of its client", async () => {
    await using home = await homeWithStore();
    const asking = join(import.meta.dirname, "../support/servers/asking.mjs");
    const servers = { older: { command: process.execPath, args: [asking] } };
    await writeFile(join(home.path, "config.json"), JSON.stringify({ mcpServers: servers }));
    await using daemon = await serve({ home: home.path });
    await toolkeepHere({ home: home.path }, "server", "test", "older");
    await toolkeepHere({ home: home.path }, "agent", "edit", "main", "--grant", "mcp:older:*");
    await using connected = await connectClient(daemon.url, daemon.ready.firstStart.token, "legacy", {
      elicitation: { form: {} },
    });
    const { client } = connected;
    let ended: Promise<number | null> | undefined;
    client.setRequestHandler("elicitation/create", async () => {
      ended = daemon.end("SIGTERM");
      const ping = () => client.ping().then(Boolean, () => false);
      await waitUntil("nothing new is begun", async () => !(await ping()));
      return { action: "accept", content: { answer: "rain" } };
    });
    const result = await client.callTool({
      name: "mcp_older_ask",
      arguments: { kind: "elicitation", about: "rain" },
    });
    expect(JSON.stringify(result.content)).toContain("rain");
    expect(await ended).toBe(0);
  });

  it("ends a call that does not finish, and every process of it, within the grace", async () => {
    await using home = await homeWithStore();
    await using daemon = await serve({ home: home.path });
    await using connected = await connectClient(daemon.url, daemon.ready.firstStart.token);
    const running = join(home.path, "workspaces/main/running");
    // In a sandbox it would not know its own number.
    const mark = `600.${process.pid}`;
    const command = `trap '' TERM; touch running; sleep ${mark}`;
    const call = connected.client
      .callTool({ name: "run_shell", arguments: { command } })
      .catch(() => undefined);
    await waitUntil("the command runs", () => existsSync(running));
    await waitUntil("it sleeps", async () => (await pidsWith(mark)).length > 0);
    const took = stopwatch();
    expect(await daemon.end("SIGTERM")).toBe(0);
    expect(took()).toBeLessThan(25_000);
    expect(await pidsWith(mark)).toEqual([]);
    expect((await toolkeepHere({ home: home.path }, "agent", "list")).code).toBe(0);
    await connected.client.close();
    await call;
  });
});

describe("toolkeep stdio whose input ends", { timeout: 120_000 }, () => {
  it("delivers the answers still under way, ends, and leaves the daemon running", async () => {
    await using home = await homeWithStore();
    await using daemon = await serve({ home: home.path });
    const env = { TOOLKEEP_TOKEN: daemon.ready.firstStart.token };
    const relay = start({ home: home.path, env }, ["stdio"]);
    relay.child.stdin.write(`${INITIALIZE}\n`);
    await waitUntil("it is connected", () => relay.stdout().includes('"serverInfo"'));
    const params = { name: "run_shell", arguments: { command: "sleep 1; echo fin''ished" } };
    relay.child.stdin.write(
      `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n` +
        `${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params })}\n`,
    );
    relay.child.stdin.end();
    await waitUntil("the relay ended", () => relay.child.exitCode !== null);
    expect(relay.child.exitCode).toBe(0);
    expect(relay.stdout()).toContain("finished");
    expect((await fetch(`${daemon.url}/health`)).status).toBe(200);
  });
});
