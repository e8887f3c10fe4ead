import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addWorker, ECHO, ENV } from "../support/add-worker.ts";
import { connectClient } from "../support/connect-client.ts";
import { hasPostgres, scopedSchema } from "../support/postgres.ts";
import { toolkeepHere, toolkeepHereJson } from "../support/run-command.ts";
import { tempHome } from "../support/temp-home.ts";
import { EVERYTHING } from "../support/test-hub.ts";
import { serve } from "../support/toolkeep.ts";
import { waitUntil } from "../support/wait-until.ts";

describe("a daemon on PostgreSQL beside others", { timeout: 120_000 }, () => {
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
});

async function status(url: string, token: string): Promise<number> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  await response.text();
  return response.status;
}
