import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connectClient } from "../support/connect-client.ts";
import { hasPostgres, scopedSchema } from "../support/postgres.ts";
import { toolkeepHere, toolkeepHereJson } from "../support/run-command.ts";
import { tempHome } from "../support/temp-home.ts";
import { EVERYTHING } from "../support/test-hub.ts";
import { type RunOptions, serve, toolkeep } from "../support/toolkeep.ts";

const ENV = "mcp_everything_get_env";
const VALUE = "a-value-that-was-sealed";

describe("a backup of a busy daemon", { timeout: 120_000 }, () => {
  it("brings everything to a fresh home, by way of PostgreSQL where there is one: tokens open it, sealed values reach their server", async () => {
    if (!hasPostgres())
      console.log("this run has no PostgreSQL: the backup goes from SQLite to SQLite alone");
    await using folder = await tempHome();
    await using schema = hasPostgres() ? await scopedSchema() : undefined;
    const at = (name: string) => join(folder.path, name);
    const { token, shown } = await backUpUnderLoad({ home: at("first"), cwd: folder.path }, at("first.gz"));

    const env = schema ? { DATABASE_URL: schema.url } : {};
    const second = { home: at("second"), cwd: folder.path, env };
    expect(await toolkeep(second, "restore", at("first.gz"))).toMatchObject({ code: 0 });
    await expectToWork(second, token, shown);
    expect(await toolkeepHere(second, "backup", at("second.gz"))).toMatchObject({ code: 0 });

    const back = { home: at("third"), cwd: folder.path };
    expect(await toolkeepHere(back, "restore", at("second.gz"))).toMatchObject({ code: 0 });
    await expectToWork(back, token, shown);
  });
});

/** Fills a home, and backs its daemon up while calls are under way. */
async function backUpUnderLoad(options: RunOptions, file: string) {
  const { command, args } = EVERYTHING;
  await toolkeepHere(options, "server", "add", "everything", "--env", `KEY=${VALUE}`, "--", command, ...args);
  await toolkeepHere(options, "toolbox", "create", "looking", ENV, "mcp_everything_echo");
  await toolkeepHere(options, "agent", "create", "worker", "--toolbox", "looking");
  const { token } = await toolkeepHereJson(options, "token", "create", "--agent", "worker", "--scope", "mcp");

  await using daemon = await serve(options);
  const shown = await shownBy(options);
  await using connected = await connectClient(daemon.url, token);
  let over = false;
  const load = (async () => {
    while (!over)
      await connected.client.callTool({ name: "mcp_everything_echo", arguments: { message: "x" } });
  })();
  expect(await toolkeep(options, "backup", file)).toMatchObject({ code: 0 });
  over = true;
  await load;
  return { token, shown };
}

/** All that people see of a home, without what differs from moment to moment. */
async function shownBy(options: RunOptions) {
  const [{ agents }, { servers }, { tokens }, { toolboxes }, { tools }] = await Promise.all(
    ["agent", "server", "token", "toolbox", "tool"].map(async (noun) =>
      toolkeepHereJson(options, noun, "list"),
    ),
  );
  return {
    agents,
    toolboxes: toolboxes.filter((toolbox: { builtin: boolean }) => !toolbox.builtin),
    tokens: tokens.map(({ lastUsedAt: _, ...token }: Record<string, unknown>) => token),
    servers: servers.map(
      ({ state: _, listedAt: __, era: ___, ...server }: Record<string, unknown>) => server,
    ),
    tools: tools.map((tool: { name: string }) => tool.name),
  };
}

async function expectToWork(options: RunOptions, token: string, shown: unknown): Promise<void> {
  await using daemon = await serve(options);
  expect(await shownBy(options)).toEqual(shown);
  await using connected = await connectClient(daemon.url, token);
  const result = await connected.client.callTool({ name: ENV, arguments: {} });
  // The server has the value, and the caller does not see it.
  expect(JSON.stringify(result.content)).toContain('\\"KEY\\": \\"[redacted]\\"');
}
