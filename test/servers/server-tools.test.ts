import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { callTables } from "../support/call-tables.ts";
import { type TestHub, type TestHubSetup, testHub } from "../support/test-hub.ts";
import { trustStores } from "../support/trust-stores.ts";
import { fixture } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";

const TOOLS = ["list_mcp_servers", "add_mcp_server", "update_mcp_server", "remove_mcp_server"];
const CANARY = "canary-9d1f0c";
const NEVER_RUN = { command: "toolkeep-test-never-run" };

/** `boss` may manage servers, `all` has every toolbox with a star, `plain` has the floor. */
function managed(setup: TestHubSetup = {}): Promise<TestHub> {
  return testHub({
    toolboxes: { servers: TOOLS, stars: ["*", "native:*", "mcp:*"] },
    agents: { boss: ["servers"], all: ["stars", "all"], plain: [] },
    ...setup,
  });
}

const free = { settings: { mcp: { require_approval: false } } };

describe("the tools for servers", () => {
  test("are had by name only: neither floor nor a star has them", async () => {
    await using it = await managed();
    for (const name of TOOLS) {
      expect(await it.call(name, {}, "plain")).toMatchObject({ outcome: "not_granted" });
      expect(await it.call(name, {}, "all")).toMatchObject({ outcome: "not_granted" });
    }
    expect(await it.call("list_mcp_servers", {}, "boss")).toMatchObject({ outcome: "ok" });
  });

  test("are not for sub-agents, whatever their toolboxes", async () => {
    await using it = await managed();
    await it.hub.identity.createAgent("helper", { toolboxes: ["servers"], parent: "boss" });
    for (const name of TOOLS)
      expect((await it.call(name, { name: "x" }, "helper")).outcome, name).toBe("not_granted");
  });

  test("have the scope admin and say what they do", async () => {
    await using it = await managed();
    const flags = Object.fromEntries(TOOLS.map((name) => [name, it.hub.catalog.get(name)?.flags]));
    expect(TOOLS.map((name) => it.hub.catalog.get(name)?.scope)).toEqual(TOOLS.map(() => "admin"));
    expect(flags).toMatchObject({
      list_mcp_servers: { readOnly: true, concurrencySafe: true, destructive: false },
      add_mcp_server: { readOnly: false, concurrencySafe: false, destructive: false },
      update_mcp_server: { readOnly: false, destructive: true },
      remove_mcp_server: { readOnly: false, destructive: true },
    });
  });

  test("keep their names from the tools of servers", async () => {
    await using it = await managed({ settings: { naming: "{server}_{tool}" } });
    await it.hub.upstream.add("add_mcp", fixture("lists tools", JSON.stringify(["server"])));
    await it.hub.upstream.settled();
    const names = it.hub.upstream.tools().map((tool) => tool.name);
    expect(names).toEqual([expect.stringMatching(/^add_mcp_server_[0-9a-f]{6}$/)]);
  });
});

describe("add_mcp_server", () => {
  test("registers a server that waits for a person, who is notified until they decide", async () => {
    await using it = await managed();
    const added = await it.call("add_mcp_server", { name: "new", ...fixture("echoes") }, "boss");
    expect(added).toMatchObject({
      outcome: "ok",
      structured: { server: { name: "new", state: "pending_approval" } },
    });
    expect(added.text).toContain("until a person has approved it");
    expect(it.hub.upstream.server("new")).toMatchObject({
      state: "pending_approval",
      addedBy: "boss",
      toolCount: 0,
    });
    const [notification] = await trustStores(it.hub.store).notifications.list();
    expect(notification).toMatchObject({
      agentId: null,
      body: expect.stringContaining("The agent boss added it."),
    });

    await it.hub.upstream.approve("new");
    await it.hub.upstream.settled();
    expect(await trustStores(it.hub.store).notifications.list()).toEqual([]);
    expect(it.hub.upstream.server("new")).toMatchObject({ state: "ready", toolCount: 1 });
    await waitUntil("its tool is known", () => it.hub.catalog.get("mcp_new_echo") !== undefined);
    expect(await it.call("mcp_new_echo", {}, "boss")).toMatchObject({ outcome: "not_granted" });
  });

  test("takes effect at once where the settings say that agents need no approval, and grants nothing", async () => {
    await using it = await managed(free);
    await it.call("add_mcp_server", { name: "new", ...fixture("echoes") }, "boss");
    await it.hub.upstream.settled();
    expect(it.hub.upstream.server("new")).toMatchObject({ state: "ready", trusted: false });
    await waitUntil("its tool is known", () => it.hub.catalog.get("mcp_new_echo") !== undefined);
    expect(await it.call("mcp_new_echo", {}, "boss")).toMatchObject({ outcome: "not_granted" });
  });

  test.each([
    ["trust", { trusted: true }],
    ["a place to start in another way", { enabled: false }],
    ["a certificate", { tls: { ca: "/etc/passwd" } }],
    [
      "two hundred variables",
      { env: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`V${n}`, "x"])) },
    ],
    ["an endless argument", { args: ["x".repeat(5_000)] }],
  ])("refuses %s", async (_, more) => {
    await using it = await managed();
    const outcome = await it.call("add_mcp_server", { name: "new", ...NEVER_RUN, ...more }, "boss");
    expect(outcome.outcome).toBe("invalid_arguments");
    expect(it.hub.upstream.servers()).toEqual([]);
  });

  test("tells the agent what was wrong instead of failing", async () => {
    await using it = await managed();
    await it.call("add_mcp_server", { name: "new", ...NEVER_RUN }, "boss");
    expect(await it.call("add_mcp_server", { name: "new", ...NEVER_RUN }, "boss")).toMatchObject({
      outcome: "failed",
      error: { message: expect.stringContaining('a server "new" exists') },
    });
    expect(await it.call("add_mcp_server", { name: "url", url: "file:///etc/passwd" }, "boss")).toMatchObject(
      {
        outcome: "failed",
        error: { message: expect.stringContaining("server.url: expected an http:// or https:// URL") },
      },
    );
  });

  test("lets one agent pile up ten undecided servers and no more", async () => {
    await using it = await managed();
    for (let index = 0; index < 10; index++)
      await it.call("add_mcp_server", { name: `s${index}`, ...NEVER_RUN }, "boss");
    expect(await it.call("add_mcp_server", { name: "more", ...NEVER_RUN }, "boss")).toMatchObject({
      outcome: "failed",
      error: { message: expect.stringContaining("10 servers that you added wait for a person already") },
    });
    expect(await trustStores(it.hub.store).notifications.list()).toHaveLength(10);
  });

  test("of a person at the command line needs nobody's approval", async () => {
    await using it = await managed();
    await it.call("add_mcp_server", { name: "mine", ...fixture("echoes") });
    expect(it.hub.upstream.server("mine")).toMatchObject({ addedBy: null });
    expect(it.hub.upstream.server("mine").state).not.toBe("pending_approval");
  });
});

describe("update_mcp_server", () => {
  test("of a person's server asks an admin first, then merges variables with the stored ones, which it never shows", async () => {
    await using it = await managed();
    const env = { TOKEN: CANARY, MODE: "fast", GONE: "x" };
    await it.hub.upstream.add("env", { ...fixture("shows its environment"), env });
    await it.hub.upstream.settled();

    const update = () =>
      it.call(
        "update_mcp_server",
        { name: "env", env: { TOKEN: "", MODE: "slow", MORE: "new", GONE: null } },
        "boss",
      );
    const asked = await update();
    expect(asked.outcome).toBe("needs_input");
    const [question] = await it.hub.questions.list({ state: "pending" });
    expect(question).toMatchObject({
      kind: "approval",
      prompt: expect.stringContaining("TOKEN, MODE, GONE go along"),
    });
    expect(JSON.stringify([asked, question])).not.toContain(CANARY);
    // Until an admin has agreed it runs as the person set it up.
    expect(JSON.parse((await it.call("mcp_env_env")).text)).toMatchObject({ MODE: "fast", GONE: "x" });
    expect(it.hub.upstream.server("env").state).toBe("ready");

    await it.hub.questions.answer(question!.id, "once");
    const changed = await update();
    expect(changed).toMatchObject({ outcome: "ok" });
    expect(JSON.stringify(changed)).not.toContain(CANARY);
    expect(it.hub.upstream.server("env")).toMatchObject({ trusted: false });
    expect(await trustStores(it.hub.store).notifications.list()).toEqual([]);
    await it.hub.upstream.settled();
    const seen = JSON.parse((await it.call("mcp_env_env")).text);
    expect(seen).toMatchObject({ MODE: "slow", MORE: "new" });
    expect(seen.TOKEN).toBe("[redacted]");
    expect(seen.GONE).toBeUndefined();
    expect(it.hub.upstream.server("env").envKeys).toEqual(["TOKEN", "MODE", "MORE"]);
  });

  test("takes a yes for exactly the change that was asked about, of the server as it was then", async () => {
    await using it = await managed();
    await it.hub.upstream.add("mine", { ...NEVER_RUN, enabled: false });
    const update = (args: object) => it.call("update_mcp_server", { name: "mine", ...args }, "boss");
    await update({ env: { A: "1" } });
    const [question] = await it.hub.questions.list({ state: "pending" });
    await it.hub.questions.answer(question!.id, "once");
    // A value that nobody was shown is part of it.
    expect((await update({ env: { A: "2" } })).outcome).toBe("needs_input");
    await it.hub.upstream.update("mine", { args: ["x"] });
    expect((await update({ env: { A: "1" } })).outcome).toBe("needs_input");
    expect((await update({ new_name: "yours" })).outcome).toBe("needs_input");
    expect(it.hub.upstream.server("mine")).toMatchObject({ envKeys: [], state: "disabled" });
  });

  test("ends the process that ran before the change", async () => {
    await using it = await managed();
    await it.call("add_mcp_server", { name: "echo", ...fixture("echoes") }, "boss");
    await it.hub.upstream.approve("echo");
    await it.hub.upstream.settled();
    expect(it.hub.upstream.server("echo").state).toBe("ready");
    await it.call("update_mcp_server", { name: "echo", args: ["-e", "0"] }, "boss");
    expect(it.hub.upstream.server("echo").state).toBe("pending_approval");
  });

  test("cannot change what a settings file declares, nor what does not exist, nor nothing", async () => {
    await using it = await managed({ servers: { declared: NEVER_RUN } });
    const update = async (args: object) => (await it.call("update_mcp_server", args, "boss")).error?.message;
    expect(await update({ name: "declared", command: "rm" })).toContain(
      "is declared in the user settings file",
    );
    expect(await update({ name: "declrd", command: "rm" })).toContain('did you mean "declared"?');
    expect(await update({ name: "declared" })).toBe("Nothing to change was given.");
  });
});

describe("remove_mcp_server", () => {
  test("removes what an agent added", async () => {
    await using it = await managed();
    await it.call("add_mcp_server", { name: "new", ...NEVER_RUN }, "boss");
    expect(await it.call("remove_mcp_server", { name: "new" }, "boss")).toMatchObject({ outcome: "ok" });
    expect(it.hub.upstream.servers()).toEqual([]);
    expect(await trustStores(it.hub.store).notifications.list()).toEqual([]);
  });

  test("asks a person about a server that a person registered, and takes their word once", async () => {
    let now = Date.now();
    await using it = await managed({ clock: () => now });
    const remove = () => it.call("remove_mcp_server", { name: "mine" }, "boss");
    await it.hub.upstream.add("mine", { ...NEVER_RUN, enabled: false });
    expect((await remove()).outcome).toBe("needs_input");
    const [question] = await it.hub.questions.list({ state: "pending" });
    expect(question).toMatchObject({
      kind: "approval",
      prompt: expect.stringContaining("remove the MCP server mine"),
    });

    await it.hub.questions.answer(question!.id, "reject");
    expect(await remove()).toMatchObject({
      outcome: "failed",
      error: { message: "A person rejected this. Do something else." },
    });
    expect((await remove()).outcome).toBe("failed");
    now += 601_000;
    expect((await remove()).outcome).toBe("needs_input");
    const [second] = await it.hub.questions.list({ state: "pending" });
    await it.hub.questions.answer(second!.id, "once");
    expect((await remove()).outcome).toBe("ok");
    expect(it.hub.upstream.servers()).toEqual([]);

    await it.hub.upstream.add("mine", { ...NEVER_RUN, enabled: false });
    expect((await remove()).outcome).toBe("needs_input");
  });

  test("cannot remove what a settings file declares, and asks nobody about it", async () => {
    await using it = await managed({ servers: { declared: NEVER_RUN } });
    const outcome = await it.call("remove_mcp_server", { name: "declared" }, "boss");
    expect(outcome).toMatchObject({
      outcome: "failed",
      error: { message: expect.stringContaining("settings file") },
    });
    expect(await it.hub.questions.list()).toEqual([]);
  });
});

describe("list_mcp_servers", () => {
  test("shows how each server is reached and the keys of env and headers, never a value", async () => {
    await using it = await managed();
    await it.hub.upstream.add("local", {
      command: "npx",
      args: ["server", `--token=${CANARY}`],
      env: { TOKEN: CANARY },
      enabled: false,
    });
    await it.hub.upstream.add("remote", {
      url: `https://x.example/mcp?api_key=${CANARY}`,
      headers: { Authorization: `Bearer ${CANARY}` },
      oauth: { clientId: "me", clientSecret: CANARY },
      enabled: false,
    });
    const listed = await it.call("list_mcp_servers", {}, "boss");
    expect(JSON.stringify(listed)).not.toContain(CANARY);
    expect(listed.structured).toMatchObject({
      servers: [
        { name: "local", state: "disabled", reached_by: "npx server --token=***", env_keys: ["TOKEN"] },
        { name: "remote", reached_by: "https://x.example/mcp?api_key=***", header_keys: ["Authorization"] },
      ],
    });
  });
});

describe("docs/server-tools.md", () => {
  test("has every tool with its flags", async () => {
    await using it = await managed();
    const page = readFileSync(join(import.meta.dirname, "../../docs/server-tools.md"), "utf8");
    for (const name of TOOLS) {
      const flags = Object.entries(it.hub.catalog.get(name)!.flags).filter(([, on]) => on);
      const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\` |`));
      expect(row?.split("|").at(-2)?.trim()).toBe(flags.map(([flag]) => flag).join(", ") || "–");
    }
  });
});

describe("what an agent types as a secret", () => {
  test("is in no audit row and no question, whether the call is run, asked about or refused", async () => {
    await using it = await managed({ rules: [{ permission: "update_mcp_server", action: "ask" }] });
    const secrets = {
      env: { TOKEN: CANARY },
      args: [`--token=${CANARY}`],
      oauth: { client_id: "me", client_secret: CANARY },
    };
    await it.call("add_mcp_server", { name: "new", command: "x", ...secrets, headers: CANARY }, "boss");
    await it.call("add_mcp_server", { name: "no/name", command: "x", ...secrets }, "boss");
    await it.call("add_mcp_server", CANARY, "boss");
    expect(await it.call("update_mcp_server", { name: "gone", ...secrets }, "boss")).toMatchObject({
      outcome: "needs_approval",
    });
    await waitUntil(
      "all four are in the audit",
      async () => (await callTables(it.hub.store).calls.list({ limit: 10 })).length === 4,
    );
    const rows = JSON.stringify(await it.hub.store.dump());
    expect(rows).toContain('\\"TOKEN\\"');
    expect(rows).not.toContain(CANARY);
  });
});
