import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connectClient } from "../support/connect-client.ts";
import { toolkeepHere } from "../support/run-command.ts";
import { homeWithStore } from "../support/store-template.ts";
import { EVERYTHING } from "../support/test-hub.ts";
import { serve } from "../support/toolkeep.ts";
import { waitUntil } from "../support/wait-until.ts";

const ECHO = "mcp_everything_echo";

describe("the settings file of a running daemon", { timeout: 120_000 }, () => {
  it("counts once it is written; a broken one is reported and changes nothing", async () => {
    await using home = await homeWithStore();
    const config = join(home.path, "config.json");
    await using daemon = await serve({ home: home.path });
    await toolkeepHere({ home: home.path }, "agent", "edit", "main", "--grant", ECHO);
    await using connected = await connectClient(daemon.url, daemon.ready.firstStart.token);
    const listed = async () => (await connected.client.listTools()).tools.map((tool) => tool.name);
    const outcome = async (name: string, args: Record<string, unknown>) =>
      (await connected.client.callTool({ name, arguments: args }))._meta?.["toolkeep/outcome"];
    expect(await listed()).not.toContain(ECHO);

    await writeFile(config, JSON.stringify({ mcpServers: { everything: EVERYTHING } }));
    await waitUntil("the server of the file is listed", async () => (await listed()).includes(ECHO));
    expect(await outcome(ECHO, { message: "hi" })).toBe("ok");

    await writeFile(config, '{\n  "mcpServers": 5\n}');
    await waitUntil("the broken file is reported", () => daemon.stderr().includes(`${config}:2`));
    expect(await outcome(ECHO, { message: "still" })).toBe("ok");

    const rules = [{ permission: "run_shell", action: "deny" }];
    await writeFile(config, JSON.stringify({ rules }));
    await waitUntil("the server is gone with its entry", async () => !(await listed()).includes(ECHO));
    expect(await listed()).not.toContain("run_shell");
    expect(await outcome("run_shell", { command: "true" })).not.toBe("ok");
  });
});
