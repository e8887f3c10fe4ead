import { describe, expect, test } from "vitest";
import { Events } from "../../../src/contract/events.ts";
import { randomId } from "../../../src/lib/id.ts";
import { completeServerConfig } from "../../../src/machine/config/sections/server-config.ts";
import type { ServerInput } from "../../../src/servers/contract.ts";
import { type Definition, define } from "../../../src/servers/lifecycle/definition.ts";
import { ServerRows } from "../../../src/servers/lifecycle/server-rows.ts";
import { testUpstream } from "../../support/upstream.ts";

const REACH = { command: "npx", args: ["server"], env: { TOKEN: "canary-token" }, trusted: true };

/** Rows over a real store, without any server behind them. */
async function testRows() {
  const up = await testUpstream();
  let now = 1_000;
  const { store, vault, settings } = up;
  const rows = new ServerRows({
    store,
    vault,
    events: new Events(() => {}),
    clock: () => now++,
    newId: randomId,
  });
  const definition = async (name: string): Promise<Definition> => {
    const row = await store.servers.byName(name);
    return define(row!, undefined, settings, vault)!;
  };
  return {
    store,
    rows,
    definition,
    add: (input: ServerInput, options: { isPending?: boolean; addedBy?: string } = {}) =>
      rows.add(completeServerConfig("fs", input, "stored"), { isPending: false, addedBy: null, ...options }),
    change: async (input: ServerInput, agent?: { requireApproval: boolean }, name = "fs") =>
      rows.change(await definition("fs"), name, input, agent && { name: "scout", ...agent }),
    [Symbol.asyncDispose]: () => up[Symbol.asyncDispose](),
  };
}

const asked = { requireApproval: true };
const notAsked = { requireApproval: false };

describe("a change by an agent", () => {
  test.each<[string, ServerInput]>([
    ["command", { command: "node" }],
    ["args", { args: ["other"] }],
    ["env", { env: { TOKEN: "", MORE: "x" } }],
    ["cwd", { cwd: "/tmp" }],
  ])("of %s returns the server to approval and takes the trust away", async (what, input) => {
    await using it = await testRows();
    await it.add(REACH);
    await it.change(input, asked);
    const { gate, record, config, isPersonNamed } = await it.definition("fs");
    expect({ gate: gate.kind, status: record.status, trusted: config.trusted, isPersonNamed }).toEqual({
      gate: "pending_approval",
      status: "pending_approval",
      trusted: false,
      isPersonNamed: false,
    });
    expect(config.env.TOKEN).toBe("canary-token");
    const [notification] = await it.store.notifications.list();
    expect(notification).toMatchObject({ level: "warning", title: "MCP server fs waits for approval" });
    expect(notification!.body).toContain(`The agent scout changed its ${what}.`);
    expect(notification!.body).toContain("It would get the stored env");
    expect(notification!.body).not.toContain("canary");
  });

  test.each<[string, ServerInput]>([
    ["url", { url: "https://y.example/mcp" }],
    ["headers", { headers: { A: "b" } }],
    ["oauth", { oauth: { scope: "all" } }],
  ])("of %s does too", async (_, input) => {
    await using it = await testRows();
    await it.add({ url: "https://x.example/mcp", oauth: { clientId: "me", clientSecret: "canary" } });
    await it.change(input, asked);
    expect((await it.definition("fs")).gate.kind).toBe("pending_approval");
  });

  test("of the name does too, because rules go by it", async () => {
    await using it = await testRows();
    await it.add(REACH);
    await it.change({}, asked, "renamed");
    expect((await it.definition("renamed")).gate.kind).toBe("pending_approval");
  });

  test("of nothing that matters changes nothing about it", async () => {
    await using it = await testRows();
    await it.add(REACH);
    await it.change({ ...REACH, env: { TOKEN: "" } }, asked);
    expect(await it.definition("fs")).toMatchObject({ gate: { kind: "open" }, config: { trusted: true } });
  });

  test("to what a person vouched for waits even where agents' servers need no approval", async () => {
    await using it = await testRows();
    await it.add(REACH);
    await it.change({ command: "node" }, notAsked);
    expect((await it.definition("fs")).gate.kind).toBe("pending_approval");
  });

  test("to a server that only agents vouch for counts at once where they need no approval", async () => {
    await using it = await testRows();
    await it.add({ command: "npx" }, { addedBy: "scout" });
    await it.change({ command: "node" }, notAsked);
    expect(await it.definition("fs")).toMatchObject({ gate: { kind: "open" }, isPersonNamed: false });
    expect(await it.store.notifications.list()).toEqual([]);
  });

  test("asks again with a notification of its own after an earlier approval", async () => {
    await using it = await testRows();
    await it.add({ command: "npx" }, { isPending: true, addedBy: "scout" });
    await it.rows.approve(await it.definition("fs"));
    expect(await it.store.notifications.list()).toEqual([]);
    await it.change({ command: "node" }, asked);
    await it.change({ command: "deno" }, asked);
    expect(await it.store.notifications.list()).toHaveLength(1);
    await it.rows.approve(await it.definition("fs"));
    expect(await it.store.notifications.list()).toEqual([]);
    expect(await it.definition("fs")).toMatchObject({ gate: { kind: "open" }, isPersonNamed: true });
  });
});

describe("a change by a person", () => {
  test("never waits", async () => {
    await using it = await testRows();
    await it.add(REACH);
    await it.change({ command: "node" });
    expect(await it.definition("fs")).toMatchObject({
      gate: { kind: "open" },
      isPersonNamed: true,
      config: { trusted: true },
    });
  });

  test("approves nothing that waits", async () => {
    await using it = await testRows();
    await it.add({ command: "npx" }, { isPending: true, addedBy: "scout" });
    await it.change({ command: "node" });
    expect(await it.definition("fs")).toMatchObject({
      gate: { kind: "pending_approval" },
      isPersonNamed: false,
    });
  });

  test("of an agent's server vouches for it only where it says how it is reached", async () => {
    await using it = await testRows();
    await it.add({ command: "npx" }, { addedBy: "scout" });
    await it.change({ timeoutMs: 5 });
    expect((await it.definition("fs")).isPersonNamed).toBe(false);
    await it.change({ command: "node" });
    expect((await it.definition("fs")).isPersonNamed).toBe(true);
    await it.change({ timeoutMs: 6 });
    expect((await it.definition("fs")).isPersonNamed).toBe(true);
    await it.change({ trusted: true });
    expect((await it.definition("fs")).isPersonNamed).toBe(true);
  });

  test("keeps the client's secret that is blank or not named, and forgets all with null", async () => {
    await using it = await testRows();
    await it.add({
      url: "https://x.example/mcp",
      oauth: { clientId: "me", clientSecret: "canary", scope: "a" },
    });
    await it.change({ oauth: { clientSecret: "", scope: "b" } });
    expect((await it.definition("fs")).config.oauth).toMatchObject({
      clientId: "me",
      clientSecret: "canary",
      scope: "b",
    });
    await it.change({ oauth: { scope: null } });
    expect((await it.definition("fs")).config.oauth).toMatchObject({ clientSecret: "canary", scope: null });
    await it.change({ oauth: null });
    expect((await it.definition("fs")).config.oauth).toBeNull();
  });
});

describe("approving", () => {
  test("is refused for a server that was changed after the person looked", async () => {
    await using it = await testRows();
    await it.add({ command: "npx" }, { isPending: true, addedBy: "scout" });
    const { updatedAt: changedAt } = (await it.definition("fs")).record;
    await it.change({ command: "rm" }, asked);
    await expect(it.rows.approve(await it.definition("fs"), { changedAt })).rejects.toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining("was changed after you looked"),
    });
    expect((await it.definition("fs")).gate.kind).toBe("pending_approval");
  });
});

describe("an agent's new server", () => {
  test("that takes over the tool names of an earlier one waits, whatever the setting", async () => {
    await using it = await testRows();
    await it.add({ command: "npx" });
    await it.rows.remove(await it.definition("fs"));
    await it.add({ command: "evil" }, { addedBy: "scout" });
    expect((await it.definition("fs")).gate.kind).toBe("pending_approval");
    expect(await it.store.notifications.list()).toHaveLength(1);
  });

  test("is named by no person until one has approved it", async () => {
    await using it = await testRows();
    await it.add({ command: "npx" }, { addedBy: "scout" });
    expect(await it.definition("fs")).toMatchObject({ gate: { kind: "open" }, isPersonNamed: false });
    await it.rows.approve(await it.definition("fs"));
    expect((await it.definition("fs")).isPersonNamed).toBe(true);
  });
});
