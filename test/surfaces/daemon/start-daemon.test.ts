import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/lib/clock.ts";
import { findDaemon } from "../../../src/surfaces/daemon/daemon-file.ts";
import { createLog } from "../../../src/surfaces/daemon/log/log.ts";
import { type Daemon, startDaemon } from "../../../src/surfaces/daemon/start-daemon.ts";
import { connectClient } from "../../support/connect-client.ts";
import { inDeep } from "../../support/length.ts";
import { stopwatch } from "../../support/stopwatch.ts";
import { tempHome } from "../../support/temp-home.ts";
import { waitUntil } from "../../support/wait-until.ts";

describe("the daemon", () => {
  it("creates the first agent once and removes its file when it ends", async () => {
    await using home = await tempHome();
    await using first = await started(home.path);
    expect(first.daemon.firstStart).toMatchObject({ agent: "main", token: expect.stringMatching(/^tk_sk_/) });
    expect((await findDaemon(home.path))?.url).toBe(first.daemon.url);
    await first.daemon.close();
    expect(existsSync(join(home.path, "daemon.json"))).toBe(false);

    await using second = await started(home.path);
    expect(second.daemon.firstStart).toBeNull();
    expect(second.daemon.counts.agents).toBe(1);
  });

  it("says that an address cannot be used, and does not call that a bug", async () => {
    await using home = await tempHome();
    const nowhere = startDaemon({
      env: { TOOLKEEP_HOME: home.path, TOOLKEEP_HOST: "192.0.2.1", TOOLKEEP_PORT: "0" },
      cwd: home.path,
      log: createLog({ level: "error", human: false, write() {} }),
      version: "0",
      clock: systemClock,
      firstStart: false,
    });
    await expect(nowhere).rejects.toMatchObject({
      code: "ADDRESS_UNUSABLE",
      message: expect.stringContaining("192.0.2.1"),
    });
  });

  it("refuses hosts and origins that are not its own", async () => {
    await using home = await tempHome();
    await using running = await started(home.path);
    const response = await fetch(`${running.daemon.url}/health`, {
      headers: { origin: "http://evil.example" },
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { code: "HOST_REFUSED" } });
  });

  inDeep("changes its settings by a tool, takes them over at once and tells of it in its log", async () => {
    await using home = await tempHome();
    await using running = await started(home.path);
    const call = (name: string, args: object = {}) => api(home.path, "/api/call", { name, arguments: args });
    const changes = { "shell.timeout_ms": 7_000 };
    const changed = await call("update_platform_config", { changes, reason: "quicker" });
    expect(changed).toMatchObject({
      outcome: "ok",
      structured: { in_force: true, values: { "shell.timeout_ms": 7_000 } },
    });
    await waitUntil("the log tells", async () =>
      (await call("get_platform_logs")).text.includes("settings applied"),
    );
    expect(running.log()).toContain("settings applied");
  });

  it("takes over changed settings without a restart, and keeps the old ones when the new are broken", async () => {
    await using home = await tempHome();
    await using running = await started(home.path);
    const config = join(home.path, "config.json");
    const servers = async () =>
      (await api(home.path, "/api/servers")).servers.map((each: { name: string }) => each.name);

    await writeFile(config, JSON.stringify({ mcpServers: { later: { command: "false", enabled: false } } }));
    await waitUntil("the server of the file is there", async () => (await servers()).includes("later"));

    await writeFile(config, '{"mcpServers": 5}');
    await waitUntil("the broken change is logged", () =>
      running.log().includes("the previous ones stay in use"),
    );
    expect(await servers()).toEqual(["later"]);

    await writeFile(config, "{}");
    await waitUntil("the server is gone with its entry", async () => (await servers()).length === 0);
  });

  it("does not wait for open subscriptions when it ends", async () => {
    await using home = await tempHome();
    await using running = await started(home.path);
    const { url, firstStart } = running.daemon;
    await using connected = await connectClient(url, firstStart!.token, "modern");
    const subscription = await connected.client.listen({ toolsListChanged: true });
    const took = stopwatch();
    await running.daemon.close();
    expect(took()).toBeLessThan(8_000);
    expect(await subscription.closed).not.toBe("local");
  });

  inDeep("tells the client of a session that a call ends which it cannot finish", async () => {
    await using home = await tempHome();
    await using running = await started(home.path, { TOOLKEEP_DEFAULT_RULES: "false" }, 50);
    const { url, firstStart } = running.daemon;
    await using connected = await connectClient(url, firstStart!.token, "legacy");
    const command = "touch begun; sleep 60";
    const call = connected.client.callTool({ name: "run_shell", arguments: { command } });
    const ended = call.then(JSON.stringify, String);
    const files = () => readdirSync(home.path, { recursive: true, encoding: "utf8" });
    await waitUntil("the call runs", () => files().some((path) => path.endsWith("begun")));
    await running.daemon.close();
    expect(await ended).toContain("the session ended before this was answered; it may have run");
  });

  it("says so when its port is taken, and gives the home back", async () => {
    await using home = await tempHome();
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    await expect(start(home.path, { TOOLKEEP_PORT: String(port) })).rejects.toMatchObject({
      code: "PORT_IN_USE",
    });
    await new Promise((resolve) => other.close(resolve));
    await using _again = await started(home.path);
  });

  it("never logs the token it gives out", async () => {
    await using home = await tempHome();
    await using running = await started(home.path, { TOOLKEEP_LOG_LEVEL: "trace" });
    await api(home.path, "/api/agents");
    expect(running.log()).not.toContain(running.daemon.firstStart!.token);
    expect(running.log()).not.toContain((await findDaemon(home.path))!.token);
  });
});

async function started(home: string, env: Record<string, string> = {}, drainMs?: number) {
  const lines: string[] = [];
  const daemon = await start(home, env, lines, drainMs);
  let closed = false;
  const once: Daemon = {
    ...daemon,
    async close() {
      if (!closed) await daemon.close();
      closed = true;
    },
  };
  return { daemon: once, log: () => lines.join(""), [Symbol.asyncDispose]: () => once.close() };
}

function start(
  home: string,
  env: Record<string, string>,
  lines: string[] = [],
  drainMs?: number,
): Promise<Daemon> {
  return startDaemon({
    env: { PATH: process.env.PATH, TOOLKEEP_HOME: home, TOOLKEEP_PORT: "0", ...env },
    cwd: home,
    log: createLog({ level: "info", human: false, write: (text) => void lines.push(text) }),
    version: "1.2.3",
    clock: systemClock,
    firstStart: true,
    ...(drainMs !== undefined && { drainMs }),
  });
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
async function api(home: string, path: string, body?: object): Promise<any> {
  const daemon = await findDaemon(home);
  const headers = { authorization: `Bearer ${daemon!.token}`, "content-type": "application/json" };
  const post = body && { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(daemon!.url + path, { headers, ...post });
  return response.json();
}
