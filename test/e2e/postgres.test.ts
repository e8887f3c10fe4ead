import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connectClient } from "../support/connect-client.ts";
import { interruptible } from "../support/interruptible.ts";
import { hasPostgres, scopedSchema } from "../support/postgres.ts";
import { toolkeepHere, toolkeepHereJson } from "../support/run-command.ts";
import { tempHome } from "../support/temp-home.ts";
import { EVERYTHING } from "../support/test-hub.ts";
import { type RunOptions, serve } from "../support/toolkeep.ts";
import { waitUntil } from "../support/wait-until.ts";

const ECHO = "mcp_everything_echo";
const ENV = "mcp_everything_get_env";

describe("a daemon on PostgreSQL", { timeout: 120_000 }, () => {
  it("serves calls through /mcp in both eras, and everything is there after a restart", async (context) => {
    if (!hasPostgres()) context.skip("this run has no PostgreSQL");
    await using home = await tempHome();
    await using schema = await scopedSchema();
    const options = { home: home.path, env: { DATABASE_URL: schema.url } };
    let token = "";
    for (const start of ["first", "second"]) {
      await using daemon = await serve(options);
      if (start === "first") token = await addWorker(options);
      for (const era of ["legacy", "modern"] as const) {
        await using connected = await connectClient(daemon.url, token, era);
        const result = await connected.client.callTool({ name: ECHO, arguments: { message: start } });
        expect(result).toMatchObject({ content: [{ text: `Echo: ${start}` }] });
      }
      expect(await daemon.end("SIGTERM")).toBe(0);
    }
  });

  it("shares agents, tokens, toolboxes, servers and sealed values with another within seconds", async (context) => {
    if (!hasPostgres()) context.skip("this run has no PostgreSQL");
    await using home = await tempHome();
    await using otherHome = await tempHome();
    await using schema = await scopedSchema();
    const env = { DATABASE_URL: schema.url, TOOLKEEP_KEY: randomBytes(32).toString("base64") };
    const options = { home: home.path, env };
    const other = { home: otherHome.path, env };
    await using _daemon = await serve(options);
    await using otherDaemon = await serve(other);

    const token = await addWorker(options);
    await waitUntil("the other knows the token", async () => (await status(otherDaemon.url, token)) !== 401);
    await using connected = await connectClient(otherDaemon.url, token);
    const listed = async () => (await connected.client.listTools()).tools.map((tool) => tool.name);
    await waitUntil("the other lists the server's tools", async () => (await listed()).includes(ECHO));
    const seen = await connected.client.callTool({ name: ENV, arguments: {} });
    expect(JSON.stringify(seen.content)).toContain('\\"KEY\\": \\"[redacted]\\"');

    await toolkeepHere(options, "toolbox", "remove", "looking", ECHO);
    await waitUntil("the other took the tool away", async () => !(await listed()).includes(ECHO));
    await toolkeepHere(options, "server", "disable", "everything");
    await waitUntil("the other disabled the server", async () => !(await listed()).includes(ENV));
    await toolkeepHere(options, "server", "remove", "everything", "--yes");
    const servers = async () => (await toolkeepHereJson(other, "server", "list")).servers;
    await waitUntil("the other forgot the server", async () => (await servers()).length === 0);
    await toolkeepHere(options, "agent", "delete", "worker", "--yes");
    await waitUntil(
      "the other lets it in no more",
      async () => (await status(otherDaemon.url, token)) === 401,
    );
  });

  it("starts beside others that start at the same moment on an empty database", async (context) => {
    if (!hasPostgres()) context.skip("this run has no PostgreSQL");
    await using schema = await scopedSchema();
    await using folder = await tempHome();
    const env = { DATABASE_URL: schema.url, TOOLKEEP_KEY: randomBytes(32).toString("base64") };
    const config = JSON.stringify({ mcpServers: { everything: EVERYTHING } });
    const homes = ["a", "b", "c"].map((name) => join(folder.path, name));
    for (const home of homes) {
      await mkdir(home);
      await writeFile(join(home, "config.json"), config);
    }
    const daemons = await Promise.allSettled(homes.map((home) => serve({ home, env })));
    for (const daemon of daemons) if (daemon.status === "fulfilled") await daemon.value.end();
    expect(daemons.map((daemon) => (daemon.status === "rejected" ? String(daemon.reason) : "ready"))).toEqual(
      ["ready", "ready", "ready"],
    );
  });

  it("survives its database going away, says so, and goes on when it is back", async (context) => {
    if (!hasPostgres()) context.skip("this run has no PostgreSQL");
    await using home = await tempHome();
    await using schema = await scopedSchema();
    await using database = await interruptible(schema.url);
    const options = { home: home.path, env: { DATABASE_URL: database.url } };
    await using daemon = await serve(options);
    const token = await addWorker(options);
    await using connected = await connectClient(daemon.url, token);
    const echo = () => connected.client.callTool({ name: ECHO, arguments: { message: "hi" } });
    expect((await echo()).isError).toBeFalsy();

    await database.interrupt();
    // What the call needs is in memory; its record waits.
    expect((await echo()).isError).toBeFalsy();
    const refused = await toolkeepHereJson(options, "agent", "create", "late");
    expect(refused.error.code).toBe("STORE_UNAVAILABLE");
    const shell = await connected.client.callTool({ name: "run_shell", arguments: { command: "touch ran" } });
    expect(shell).toMatchObject({ isError: true, _meta: { "toolkeep/outcome": "unavailable" } });
    expect(existsSync(join(home.path, "workspaces/worker/ran"))).toBe(false);

    await database.resume();
    await waitUntil(
      "it takes writes again",
      async () => (await toolkeepHere(options, "agent", "create", "late")).code === 0,
    );
    expect((await echo()).isError).toBeFalsy();
    const recorded = async () =>
      (await toolkeepHereJson(options, "audit", "list", "--tool", ECHO)).calls.length;
    await waitUntil("all three calls are recorded", async () => (await recorded()) === 3);
    expect(daemon.child.exitCode).toBeNull();
  });
});

/** An agent with two tools of a server that has a sealed value; resolves with its token. */
async function addWorker(options: RunOptions): Promise<string> {
  const { command, args } = EVERYTHING;
  const added = [
    "server",
    "add",
    "everything",
    "--env",
    "KEY=a-value-that-was-sealed",
    "--",
    command,
    ...args,
  ];
  expect(await toolkeepHere(options, ...added)).toMatchObject({ code: 0 });
  await toolkeepHere(options, "toolbox", "create", "looking", ECHO, ENV);
  await toolkeepHere(options, "agent", "create", "worker", "--toolbox", "looking");
  return (await toolkeepHereJson(options, "token", "create", "--agent", "worker")).token;
}

async function status(url: string, token: string): Promise<number> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  await response.text();
  return response.status;
}
