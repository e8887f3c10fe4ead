import { describe, expect, it } from "vitest";
import { connectClient } from "../support/connect-client.ts";
import { toolkeepHere, toolkeepHereJson } from "../support/run-command.ts";
import { homeWithStore } from "../support/store-template.ts";
import { serve } from "../support/toolkeep.ts";
import { fixture } from "../support/upstream.ts";

const LONG = "a".repeat(100);

describe("names of servers' tools", { timeout: 120_000 }, () => {
  it("that collide stay distinct, the first one's unchanged, whichever server comes back first", async () => {
    await using home = await homeWithStore();
    const options = { home: home.path };
    const add = async (name: string, tools: string[]) => {
      const { command, args = [] } = fixture("lists tools", JSON.stringify(tools));
      const added = await toolkeepHere(options, "server", "add", name, "--", command!, ...args);
      expect(added.code).toBe(0);
    };
    const names = async () => {
      const { tools } = await toolkeepHereJson(options, "tool", "list");
      return tools
        .map((tool: { name: string }) => tool.name)
        .filter((name: string) => name.startsWith("mcp_"));
    };

    await add("my.notes", ["read-it"]);
    const alone = await names();
    expect(alone).toEqual(["mcp_my_notes_read_it"]);

    await add("my-notes", ["read.it", LONG]);
    const both = await names();
    expect(both).toHaveLength(3);
    expect(new Set(both).size).toBe(3);
    expect(both).toContain(alone[0]);
    expect(Math.max(...both.map((name: string) => name.length))).toBeLessThanOrEqual(50);

    await toolkeepHere(
      options,
      "agent",
      "create",
      "worker",
      ...both.flatMap((name: string) => ["--grant", name]),
    );
    const { token } = await toolkeepHereJson(options, "token", "create", "--agent", "worker");
    for (const _restart of [1, 2]) {
      await using daemon = await serve(options);
      await using connected = await connectClient(daemon.url, token);
      const listed = (await connected.client.listTools()).tools.map((tool) => tool.name);
      expect(listed.filter((name) => name.startsWith("mcp_"))).toEqual(both);
      for (const name of both) {
        const result = await connected.client.callTool({ name, arguments: {} });
        expect(result._meta).toMatchObject({ "toolkeep/outcome": "ok" });
      }
    }

    await toolkeepHere(options, "server", "remove", "my.notes", "--yes");
    expect(await names()).toEqual(both.filter((name: string) => name !== alone[0]));
    await add("my.notes", ["read-it"]);
    expect(await names()).toEqual(both);
  });
});
