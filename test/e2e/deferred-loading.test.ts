import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { connectClient } from "../support/connect-client.ts";
import { toolkeepHere, toolkeepHereJson } from "../support/run-command.ts";
import { homeWithStore } from "../support/store-template.ts";
import { EVERYTHING } from "../support/test-hub.ts";
import { serve } from "../support/toolkeep.ts";

const SUM = "mcp_everything_get_sum";

/** What a model does that was told of `tool_search` and has nothing but what its client shows it. */
class ScriptedModel {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async tools(): Promise<string[]> {
    return (await this.#client.listTools()).tools.map(({ name }) => name);
  }

  async find(capability: string): Promise<string> {
    const result = await this.#client.callTool({ name: "tool_search", arguments: { query: capability } });
    return (result.structuredContent as { matches: { id: string }[] }).matches[0]!.id;
  }

  /** Calls a tool as far as its list has it. */
  async add(name: string, a: number, b: number): Promise<string> {
    const listed = await this.tools();
    const args = { a, b };
    const result = await this.#client.callTool(
      listed.includes(name)
        ? { name, arguments: args }
        : { name: "call_tool", arguments: { name, arguments: args } },
    );
    return JSON.stringify(result.content);
  }
}

describe("a model that finds its tools", { timeout: 180_000 }, () => {
  it("has them on its next turn, after a reconnect, after kill -9 of the daemon, and so has its sub-agent", async () => {
    await using home = await homeWithStore();
    const options = { home: home.path };
    const { command, args } = EVERYTHING;
    expect((await toolkeepHere(options, "server", "add", "everything", "--", command, ...args)).code).toBe(0);
    await toolkeepHere(options, "agent", "create", "lead", "--grant", "mcp:everything:*");
    await toolkeepHere(options, "agent", "create", "hand", "--parent", "lead", "--grant", "mcp:everything:*");
    const tokens: Record<string, string> = {};
    for (const agent of ["lead", "hand"])
      tokens[agent] = (await toolkeepHereJson(options, "token", "create", "--agent", agent)).token;

    const eras = ["legacy", "modern"] as const;
    {
      await using daemon = await serve(options);
      for (const era of eras) {
        await using first = await connectClient(daemon.url, tokens.lead!, era);
        const model = new ScriptedModel(first.client);
        expect(await model.tools()).not.toContain(SUM);
        expect(await model.find("add two numbers")).toBe(SUM);
        expect(await model.tools()).toContain(SUM);
        expect(await model.add(SUM, 2, 3)).toContain("5");

        await using again = await connectClient(daemon.url, tokens.lead!, era);
        const reconnected = new ScriptedModel(again.client);
        expect(await reconnected.tools()).toContain(SUM);
        expect(await reconnected.add(SUM, 3, 4)).toContain("7");
      }
      await daemon.end("SIGKILL");
    }
    await using daemon = await serve(options);
    for (const era of eras) {
      await using after = await connectClient(daemon.url, tokens.lead!, era);
      const model = new ScriptedModel(after.client);
      expect(await model.tools()).toContain(SUM);
      expect(await model.add(SUM, 4, 5)).toContain("9");

      await using hand = await connectClient(daemon.url, tokens.hand!, era);
      const subAgent = new ScriptedModel(hand.client);
      expect(await subAgent.tools()).toContain(SUM);
      expect(await subAgent.add(SUM, 5, 6)).toContain("11");
    }
  });

  it("does the same at the command line, as an agent", async () => {
    await using home = await homeWithStore();
    const options = { home: home.path };
    const { command, args } = EVERYTHING;
    await toolkeepHere(options, "server", "add", "everything", "--", command, ...args);
    await toolkeepHere(options, "agent", "create", "lead", "--grant", "mcp:everything:*");
    const found = await toolkeepHereJson(
      options,
      "call",
      "tool_search",
      "query=add two numbers",
      "--agent",
      "lead",
    );
    expect(JSON.stringify(found)).toContain(SUM);
    const called = await toolkeepHereJson(
      options,
      "call",
      "call_tool",
      `name=${SUM}`,
      'arguments={"a":2,"b":3}',
      "--agent",
      "lead",
    );
    expect(JSON.stringify(called)).toContain("5");
  });
});
