import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addWorker, ECHO } from "../support/add-worker.ts";
import { connectClient } from "../support/connect-client.ts";
import { interruptible } from "../support/interruptible.ts";
import { hasPostgres, scopedSchema } from "../support/postgres.ts";
import { toolkeepHere, toolkeepHereJson } from "../support/run-command.ts";
import { tempHome } from "../support/temp-home.ts";
import { serve } from "../support/toolkeep.ts";
import { waitUntil } from "../support/wait-until.ts";

describe("a daemon on PostgreSQL", { timeout: 120_000 }, () => {
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
