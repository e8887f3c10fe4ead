import { describe, expect, test } from "vitest";
import { ToolkeepError } from "../../src/contract/errors.ts";
import { completeServerConfig } from "../../src/machine/config/sections/server-config.ts";
import type { ServerConfig } from "../../src/machine/config/settings.ts";
import type { ServerInput } from "../../src/servers/contract.ts";
import { inDeep } from "../support/length.ts";
import { fixture, said, settingsWith, testUpstream } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";

describe("registering", () => {
  test("connects once in the background to learn the tools", async () => {
    await using up = await testUpstream();
    const added = await up.upstream.add("echo", fixture("echoes"));
    expect(added).toMatchObject({ name: "echo", source: "stored", toolCount: 0, listedAt: null });
    await up.upstream.settled();
    expect(up.upstream.server("echo")).toMatchObject({ state: "ready", toolCount: 1, lastError: null });
  });

  test("refuses a taken name and an unusable configuration, and names what is near an unknown one", async () => {
    await using up = await testUpstream();
    await up.upstream.add("files", fixture("echoes"));
    await expect(up.upstream.add("files", fixture("echoes"))).rejects.toMatchObject({ code: "NAME_TAKEN" });
    await expect(up.upstream.add("empty", {})).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect(() => up.upstream.server("flies")).toThrow('did you mean "files"');
    expect(up.upstream.servers().map(({ name }) => name)).toEqual(["files"]);
  });

  test("shows the keys of env and headers, never a value, and stores values sealed", async () => {
    await using up = await testUpstream();
    const env = { API_TOKEN: "canary-token-1", MODE: "production" };
    await up.upstream.add("secretive", { ...fixture("shows its environment"), env });
    await up.upstream.settled();

    const view = up.upstream.server("secretive");
    expect(view.envKeys).toEqual(["API_TOKEN", "MODE"]);
    expect(JSON.stringify([view, await up.store.dump()])).not.toContain("canary-token-1");
    expect(up.vault.redact("canary-token-1 in production")).toBe("[redacted] in production");

    await up.restart();
    expect(JSON.parse(said(await up.call("mcp_secretive_env")))).toMatchObject(env);
  });

  test("a secret among the arguments or in the address is neither shown nor let out", async () => {
    await using up = await testUpstream();
    const server = fixture("echoes");
    await up.upstream.add("args", {
      ...server,
      args: [...(server.args ?? []), "--api-key", "canary-arg", "--token=canary-eq"],
    });
    await up.upstream.add("url", { url: "http://127.0.0.1:9/mcp?v=1&api_key=canary-url", enabled: false });
    expect(up.upstream.server("args").args.slice(-2)).toEqual(["***", "--token=***"]);
    expect(up.upstream.server("url").url).toBe("http://127.0.0.1:9/mcp?v=1&api_key=***");
    expect(up.vault.redact("canary-arg canary-eq canary-url")).toBe("[redacted] [redacted] [redacted]");
  });

  test("a value sealed with another key makes that server unavailable and no other", async () => {
    await using up = await testUpstream();
    await up.upstream.add("sealed", { ...fixture("echoes"), env: { API_TOKEN: "canary-token-2" } });
    await up.upstream.add("open", fixture("echoes"));
    await up.upstream.settled();
    const { id } = up.upstream.server("sealed");
    await up.store.servers.update(id, { sealed: up.vault.seal("{}", "another purpose") });

    await up.restart();

    expect(up.upstream.server("sealed")).toMatchObject({ state: "unavailable" });
    expect(await up.call("mcp_sealed_echo")).toMatchObject({ kind: "unavailable" });
    expect(await up.call("mcp_open_echo")).toMatchObject({ kind: "output" });
  });
});

describe("changing", () => {
  test("how a server is reached disconnects it, and the next call uses the new settings", async () => {
    await using up = await testUpstream();
    const env = { A: "first-value", B: "stays-as-is" };
    await up.upstream.add("env", { ...fixture("shows its environment"), env });
    await up.upstream.settled();

    await up.upstream.update("env", { env: { A: "second-value", B: "" } });

    const seen = JSON.parse(said(await up.call("mcp_env_env")));
    expect(seen).toMatchObject({ A: "second-value", B: "stays-as-is" });
  });

  test("a timeout leaves the connection alone", async () => {
    await using up = await testUpstream();
    await up.upstream.add("echo", fixture("echoes"));
    await up.upstream.settled();
    const before = up.states.length;
    await up.upstream.update("echo", { timeoutMs: 5000 });
    expect(up.tool("mcp_echo_echo").timeoutMs).toBe(5000);
    expect(up.states.length).toBe(before);
  });

  test("the name keeps the prefix and the names of the tools", async () => {
    await using up = await testUpstream();
    await up.upstream.add("old", fixture("echoes"));
    await up.upstream.settled();
    const view = await up.upstream.update("old", { name: "new" });
    expect(view).toMatchObject({ name: "new", prefix: "old" });
    expect(up.tool("mcp_old_echo").origin).toBe("mcp:new");
  });

  test("disabled and enabled again, tools stay listed and say so", async () => {
    await using up = await testUpstream();
    await up.upstream.add("echo", fixture("echoes"));
    await up.upstream.settled();

    await up.upstream.update("echo", { enabled: false });
    expect(up.upstream.server("echo")).toMatchObject({ state: "disabled", enabled: false });
    expect(up.tool("mcp_echo_echo").status()).toEqual({
      kind: "disabled",
      reason: "mcp server echo is disabled",
    });

    await up.upstream.update("echo", { enabled: true });
    expect(await up.call("mcp_echo_echo")).toMatchObject({ kind: "output" });
  });
});

describe("approval", () => {
  test("a server added by an agent waits, runs nothing, and raises a notification until a person decides", async () => {
    await using up = await testUpstream();
    const added = await up.upstream.add("helper", fixture("echoes"), { addedBy: "scout" });
    await up.upstream.settled();
    expect(added).toMatchObject({ state: "pending_approval", addedBy: "scout" });
    expect(up.upstream.server("helper").listedAt).toBeNull();
    expect(await up.store.notifications.list()).toMatchObject([
      { title: "MCP server helper waits for approval", body: expect.stringContaining("scout") },
    ]);
    expect(await up.upstream.test("helper")).toMatchObject({ ok: false });

    await up.upstream.approve("helper");
    await up.upstream.settled();

    expect(up.upstream.server("helper")).toMatchObject({ state: "ready", toolCount: 1 });
    expect(await up.store.notifications.list()).toEqual([]);
  });

  test("is not asked for where the settings say so", async () => {
    await using up = await testUpstream();
    await up.upstream.apply(settingsWith(up.settings, [], { requireApproval: false }));
    expect(await up.upstream.add("helper", fixture("echoes"), { addedBy: "scout" })).toMatchObject({
      state: "connecting",
    });
  });

  test("of a project's server is bound to its definition: a changed one waits again", async () => {
    await using up = await testUpstream();
    await up.upstream.apply(settingsWith(up.settings, [declared("project", fixture("echoes"))]));
    expect(up.upstream.server("fs")).toMatchObject({ state: "pending_approval", source: "project" });

    await up.upstream.approve("fs");
    expect(up.upstream.server("fs").state).not.toBe("pending_approval");
    await up.upstream.settled();
    await up.restart();
    await up.upstream.apply(settingsWith(up.settings, [declared("project", fixture("echoes"))]));
    expect(await up.call("mcp_fs_echo")).toMatchObject({ kind: "output" });

    const changed = declared("project", { ...fixture("echoes"), env: { NODE_OPTIONS: "--require evil" } });
    await up.upstream.apply(settingsWith(up.settings, [changed]));
    expect(up.upstream.server("fs").state).toBe("pending_approval");
    expect(up.tool("mcp_fs_echo").status().kind).toBe("pending_approval");
  });
});

describe("settings files", () => {
  test("bring servers in and take them away without a restart; their names last", async () => {
    await using up = await testUpstream();
    const withServer = settingsWith(up.settings, [declared("user", fixture("echoes"))]);
    await up.upstream.apply(withServer);
    await up.upstream.settled();
    const { id } = up.upstream.server("fs");
    expect(await up.call("mcp_fs_echo")).toMatchObject({ kind: "output" });

    await up.upstream.apply(up.settings);
    expect(up.upstream.servers()).toEqual([]);
    expect(up.upstream.tools()).toEqual([]);

    await up.upstream.apply(withServer);
    expect(up.upstream.server("fs").id).toBe(id);
    expect(up.upstream.tools().map(({ name }) => name)).toEqual(["mcp_fs_echo"]);
  });

  test("win over a stored server of the same name, which comes back when they no longer declare it", async () => {
    await using up = await testUpstream();
    await up.upstream.add("fs", fixture("echoes"));
    await up.upstream.settled();
    await up.upstream.apply(settingsWith(up.settings, [declared("user", fixture("prints junk"))]));
    expect(up.upstream.server("fs")).toMatchObject({ source: "user" });
    expect(said(await up.call("mcp_fs_echo"))).toBe("done");

    await up.upstream.apply(up.settings);
    expect(up.upstream.server("fs")).toMatchObject({ source: "stored" });
    expect(said(await up.call("mcp_fs_echo", { a: 1 }))).toBe('{"a":1}');
  });

  test("own their servers: here they can only be disabled", async () => {
    await using up = await testUpstream();
    await up.upstream.apply(settingsWith(up.settings, [declared("user", fixture("echoes"))]));
    const refused = { code: "READ_ONLY", message: expect.stringContaining("user settings file") };
    await expect(up.upstream.update("fs", { command: "other" })).rejects.toMatchObject(refused);
    await expect(up.upstream.remove("fs")).rejects.toMatchObject(refused);
    expect(await up.upstream.update("fs", { enabled: false })).toMatchObject({ state: "disabled" });
  });

  test("mcp.enabled = false disables every server", async () => {
    await using up = await testUpstream();
    await up.upstream.add("echo", fixture("echoes"));
    await up.upstream.settled();
    await up.upstream.apply(settingsWith(up.settings, [], { enabled: false }));
    expect(up.upstream.server("echo").state).toBe("disabled");
    expect(up.tool("mcp_echo_echo").status().kind).toBe("disabled");
  });

  test("an eager server is connected from the start and stays", async () => {
    await using up = await testUpstream({ idleMs: 50 });
    await up.upstream.add("eager", { ...fixture("echoes"), connect: "eager" });
    await up.upstream.settled();
    await up.restart();
    await up.upstream.settled();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(up.upstream.server("eager").state).toBe("ready");
  });
});

describe("testing", () => {
  test("a registered server reports its tools over a fresh connection", async () => {
    await using up = await testUpstream();
    await up.upstream.add("echo", fixture("echoes"));
    await up.upstream.settled();
    const report = await up.upstream.test("echo");
    expect(report).toEqual({ ok: true, tool_count: 1, tools: ["echo"], latency_ms: expect.any(Number) });
    expect(up.states.map(({ state }) => state)).toEqual([
      "connecting",
      "ready",
      "idle",
      "connecting",
      "ready",
    ]);
  });

  test("a configuration that is not registered stores nothing and leaves nothing running", async () => {
    await using up = await testUpstream();
    expect(await up.upstream.testConfig(fixture("echoes"))).toMatchObject({ ok: true, tools: ["echo"] });
    expect(await up.upstream.testConfig({ command: "no-such-command" })).toMatchObject({
      ok: false,
      error: expect.stringContaining("was not found"),
    });
    expect(await up.store.servers.list()).toEqual([]);
    await expect(up.upstream.testConfig({})).rejects.toBeInstanceOf(ToolkeepError);
  });

  inDeep("a timeout below a second is raised to one, and an abort ends the wait", async () => {
    await using up = await testUpstream();
    const report = await up.upstream.testConfig(fixture("hangs on connect"), { timeoutMs: 1 });
    expect(report).toMatchObject({ ok: false, error: expect.stringContaining("within 1 s") });
    expect(report.latency_ms).toBeGreaterThanOrEqual(990);

    const signal = AbortSignal.timeout(100);
    expect(await up.upstream.testConfig(fixture("hangs on connect"), { signal })).toMatchObject({
      ok: false,
    });
  });
});

describe("old servers", () => {
  test("that exit when asked for their era get a process that is not asked, and the verdict is kept", async () => {
    await using up = await testUpstream();
    await up.upstream.add("old", fixture("exits on an unknown method"));
    await up.upstream.settled();
    expect(up.upstream.server("old")).toMatchObject({ state: "ready", era: { era: "legacy" } });

    const verdict = up.upstream.server("old").era;
    await up.restart({ clock: () => Date.now() + 1000 });
    expect(await up.call("mcp_old_echo")).toMatchObject({ kind: "output" });
    expect(up.upstream.server("old").era).toEqual(verdict);
  });

  inDeep("are asked anew after a week", async () => {
    await using up = await testUpstream();
    await up.upstream.add("old", fixture("echoes"));
    await up.upstream.settled();
    const before = up.upstream.server("old").era!;
    await up.restart({ clock: () => Date.now() + 8 * 24 * 3600 * 1000 });
    await up.call("mcp_old_echo");
    expect(up.upstream.server("old").era!.at).toBeGreaterThan(before.at);
  });

  inDeep("that keep silent when asked are taken for what they are", async () => {
    await using up = await testUpstream();
    await up.upstream.add("mute", { ...fixture("is silent on an unknown method"), connectTimeoutMs: 6000 });
    await up.upstream.settled();
    await waitUntil("it is ready", () => up.upstream.server("mute").state === "ready");
  });
});

function declared(source: "user" | "project", input: ServerInput): ServerConfig {
  return completeServerConfig("fs", input, source);
}

test("an argument that holds a value of another server's env is not shown with it", async () => {
  await using up = await testUpstream();
  const secret = "value-that-nobody-shows";
  await up.upstream.add("holder", { ...fixture("echoes"), env: { API_TOKEN: secret }, enabled: false });
  await up.upstream.add("teller", { command: "echo", args: [`say ${secret}`], enabled: false });
  expect(JSON.stringify(up.upstream.servers())).not.toContain(secret);
  expect(up.upstream.server("teller").args).toEqual(["say [redacted]"]);
});
