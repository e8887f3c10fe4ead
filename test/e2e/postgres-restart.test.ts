import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { addWorker, ECHO } from "../support/add-worker.ts";
import { connectClient } from "../support/connect-client.ts";
import { hasPostgres, scopedSchema } from "../support/postgres.ts";
import { tempHome } from "../support/temp-home.ts";
import { serve, toolkeep } from "../support/toolkeep.ts";

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
});

describe.runIf(hasPostgres())("two daemons on one PostgreSQL", { timeout: 120_000 }, () => {
  it("do not start with another key, and say so", async () => {
    await using schema = await scopedSchema();
    await using home = await tempHome();
    await using otherHome = await tempHome();
    const env = { DATABASE_URL: schema.url, TOOLKEEP_KEY: randomBytes(32).toString("base64") };
    await using _first = await serve({ home: home.path, env });
    const other = { home: otherHome.path, env: { ...env, TOOLKEEP_KEY: randomBytes(32).toString("base64") } };
    const refused = await toolkeep(other, "serve");
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain("every daemon on one database needs the same key");
  });
});
