import { expect, it } from "vitest";
import { createHub, type Tool, type ToolSource } from "../../../src/index.ts";
import { tempHome } from "../../support/temp-home.ts";

function greet(name: string): Tool {
  return {
    ...{ name, ownName: name, description: "Greets.", origin: "app" },
    inputSchema: { type: "object", properties: { who: { type: "string" } }, required: ["who"] },
    flags: { readOnly: true, concurrencySafe: true, destructive: false },
    ...{ scope: "tools", availability: "both", floor: false, wildcard: false, timeoutMs: 1_000 },
    status: () => ({ kind: "active" }),
    run: async ({ who }) => ({ kind: "output", content: [{ type: "text", text: `Hello, ${who}!` }] }),
  };
}

/** A source whose tools can be replaced. */
function appSource(tools: readonly Tool[]): ToolSource & { replaceTools(tools: readonly Tool[]): void } {
  const listeners = new Set<() => void>();
  return {
    name: "app",
    tools: () => tools,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    replaceTools(next) {
      tools = next;
      for (const listener of listeners) listener();
    },
  };
}

it("tools of the program are granted, ruled, checked and recorded by name as all are", async () => {
  await using home = await tempHome();
  const source = appSource([greet("greet")]);
  const settings = { rules: [{ permission: "greet_rudely", action: "deny" }] };
  const hub = await createHub({ home: home.path, env: {}, settings, sources: [source] });
  try {
    await hub.identity.createAgent("guest", { toolboxes: [], grants: ["greet", "greet_rudely"] });
    await hub.identity.createAgent("other", { toolboxes: [] });
    const call = async (agent: string, name: string, args: unknown = { who: "Ada" }) => {
      const caller = hub.identity.callerFor(hub.identity.agent(agent), {
        ...{ tokenId: null, scopes: null, conversation: "c" },
      });
      return await hub.callTool({ name, arguments: args, caller, via: "library" });
    };
    expect(await call("guest", "greet")).toMatchObject({ outcome: "ok", text: "Hello, Ada!" });
    expect(await call("guest", "greet", {})).toMatchObject({ outcome: "invalid_arguments" });
    expect(await call("other", "greet")).toMatchObject({ outcome: "not_granted" });
    // Tools that come later count at once, except under names that the program may not use.
    source.replaceTools([greet("greet"), greet("greet_rudely"), greet("think"), greet("No Name")]);
    expect(await call("guest", "greet_rudely")).toMatchObject({ outcome: "denied" });
    expect(hub.catalog.get("think")?.origin).toBe("native");
    expect(hub.catalog.get("No Name")).toBeUndefined();
  } finally {
    await hub.close();
  }
});

it.each(["think", "No Name", "a".repeat(65)])("a hub does not start with a tool named %s", async (name) => {
  await using home = await tempHome();
  const starting = createHub({ home: home.path, env: {}, settings: {}, sources: [appSource([greet(name)])] });
  await expect(starting).rejects.toMatchObject({ code: "BAD_REQUEST" });
});
