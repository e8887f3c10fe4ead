import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inDeep } from "../../../../support/length.ts";
import { tempHome } from "../../../../support/temp-home.ts";
import { testApi } from "../../../../support/test-api.ts";
import { EVERYTHING, filesystem } from "../../../../support/test-hub.ts";
import { fixture } from "../../../../support/upstream.ts";
import { waitUntil } from "../../../../support/wait-until.ts";

describe("/api/servers", () => {
  it("registers a server, lists its tools and calls one", async () => {
    await using folder = await tempHome();
    await writeFile(join(folder.path, "note.txt"), "remember the milk");
    await using api = await testApi();
    const { status, body } = await api.request("POST", "/api/servers", {
      name: "fs",
      wait: true,
      ...filesystem(folder.path),
    });
    expect(status).toBe(201);
    expect(body.server).toMatchObject({ name: "fs", lastError: null, source: "stored" });
    expect(body.tools).toContain("mcp_fs_read_text_file");

    const call = await api.request("POST", "/api/call", {
      name: "mcp_fs_read_text_file",
      arguments: { path: join(folder.path, "note.txt") },
    });
    expect(call.body).toMatchObject({ outcome: "ok", text: "remember the milk" });
  });

  inDeep("keeps what a server offers beside tools, also while it does not run", async () => {
    await using api = await testApi();
    await api.request("POST", "/api/servers", { name: "all", wait: true, ...EVERYTHING });
    await api.request("POST", "/api/servers/all/disable");
    const { body } = await api.request("GET", "/api/servers/all/offers");
    expect(body.instructions).toContain("Everything");
    expect(body.resources.length).toBeGreaterThan(0);
    expect(body.resourceTemplates[0].uriTemplate).toContain("{");
    expect(body.prompts.map(({ name }: { name: string }) => name)).toContain("simple-prompt");
  });

  inDeep(
    "names the tools of a server anew after another prefix, and gives the old names to nobody",
    async () => {
      await using api = await testApi();
      await api.request("POST", "/api/servers", { name: "GitHub (work)", wait: true, ...EVERYTHING });
      const path = `/api/servers/${encodeURIComponent("GitHub (work)")}`;
      const { body } = await api.request("PATCH", path, { prefix: "ghw" });
      expect(body.server).toMatchObject({ name: "GitHub (work)", prefix: "ghw" });
      expect(body.tools).toContain("mcp_ghw_echo");
      expect(body.tools.some((name: string) => name.startsWith("mcp_github_work"))).toBe(false);
      const call = (name: string) =>
        api.request("POST", "/api/call", { name, arguments: { message: "hello" } });
      expect((await call("mcp_ghw_echo")).body.outcome).toBe("ok");
      expect((await call("mcp_github_work_echo")).body.outcome).toBe("unknown_tool");

      const other = await api.request("POST", "/api/servers", {
        name: "github_work",
        wait: true,
        ...EVERYTHING,
      });
      expect(other.body.tools).not.toContain("mcp_github_work_echo");
      expect(other.body.tools.some((name: string) => /^mcp_github_work_echo_[0-9a-f]{6}$/.test(name))).toBe(
        true,
      );

      const back = await api.request("PATCH", path, { prefix: "github_work" });
      expect(back.body.tools).toContain("mcp_github_work_echo");
    },
  );

  inDeep("refuses a prefix that is none, and one where something goes by the names", async () => {
    await using api = await testApi();
    await api.request("POST", "/api/servers", { name: "all", wait: true, ...EVERYTHING });
    for (const prefix of ["", "A", "a-b", "_a", "a_", "ä", "x".repeat(31)])
      expect((await api.request("PATCH", "/api/servers/all", { prefix })).status).toBe(400);
    await api.request("POST", "/api/toolboxes", { name: "talk", tools: ["mcp_all_echo"] });
    const refused = await api.request("PATCH", "/api/servers/all", { prefix: "other" });
    expect(refused.status).toBe(409);
    expect(refused.body.error.message).toContain("the toolbox talk");
    await api.request("PATCH", "/api/toolboxes/talk", { tools: ["mcp:all:echo"] });
    const rule = { permission: "mcp_all_*", action: "deny" };
    const { body } = await api.request("POST", "/api/rules", rule);
    expect((await api.request("PATCH", "/api/servers/all", { prefix: "other" })).status).toBe(409);
    await api.request("DELETE", `/api/rules/${body.rule.id}`);
    expect((await api.request("PATCH", "/api/servers/all", { prefix: "other" })).body.tools).toContain(
      "mcp_other_echo",
    );
  });

  it("never sends values of env and headers back", async () => {
    await using api = await testApi();
    const env = { API_KEY: "value-of-the-key" };
    const input = { name: "s", transport: "stdio", command: "false", args: [], env, enabled: false };
    const answers = [
      await api.request("POST", "/api/servers", input),
      await api.request("GET", "/api/servers"),
      await api.request("GET", "/api/servers/s"),
      await api.request("PATCH", "/api/servers/s", { env: { API_KEY: "" } }),
    ];
    expect(answers[0]!.body.server.envKeys).toEqual(["API_KEY"]);
    expect(JSON.stringify(answers)).not.toContain("value-of-the-key");
  });

  it("disables, enables and removes a server", async () => {
    await using folder = await tempHome();
    await using api = await testApi({ servers: {} });
    await api.request("POST", "/api/servers", { name: "fs", wait: true, ...filesystem(folder.path) });
    expect((await api.request("POST", "/api/servers/fs/disable")).body.server.state).toBe("disabled");
    expect((await api.request("POST", "/api/servers/fs/enable")).body.server.enabled).toBe(true);
    expect((await api.request("DELETE", "/api/servers/fs")).body).toEqual({ done: true });
    expect((await api.request("GET", "/api/servers/fs")).status).toBe(404);
  });

  it("C12: tests a configuration that is not registered and stores nothing", async () => {
    await using folder = await tempHome();
    await using api = await testApi();
    const good = await api.request("POST", "/api/mcp/servers/test", {
      name: "my-server",
      transport: "stdio",
      ...filesystem(folder.path),
      env: { KEY: "val" },
      url: null,
      headers: {},
      timeout_ms: 30_000,
    });
    expect(good.body).toMatchObject({
      ok: true,
      tool_count: expect.any(Number),
      latency_ms: expect.any(Number),
    });
    expect(good.body.tools).toContain("read_text_file");

    const bad = await api.request("POST", "/api/mcp/servers/test", { transport: "stdio", command: "false" });
    expect(bad.body).toMatchObject({ ok: false, error: expect.any(String), latency_ms: expect.any(Number) });
    expect((await api.request("GET", "/api/servers")).body.servers).toEqual([]);
  });

  inDeep(
    "C12: gives up on a configuration after its own time, a second at least and ten at most",
    async () => {
      await using api = await testApi();
      const within = async (timeout_ms?: number) => {
        const { body } = await api.request("POST", "/api/mcp/servers/test", {
          transport: "stdio",
          ...fixture("hangs on connect"),
          ...(timeout_ms === undefined ? {} : { timeout_ms }),
        });
        expect(body).toEqual({ ok: false, error: expect.any(String), latency_ms: expect.any(Number) });
        return body.latency_ms;
      };
      const [short, long, none] = await Promise.all([within(0.5), within(600_000.5), within()]);
      expect(short).toBeGreaterThanOrEqual(990);
      expect(short).toBeLessThan(8_000);
      for (const latency of [long, none]) {
        expect(latency).toBeGreaterThanOrEqual(9_900);
        expect(latency).toBeLessThan(20_000);
      }
    },
    60_000,
  );

  inDeep("C12: takes the shape of an entry of `[[mcp.servers]]`, as files write it", async () => {
    await using api = await testApi();
    const { command, args } = fixture("echoes");
    const entry = {
      name: "my-server",
      transport: "stdio",
      url: null,
      headers: {},
      env: null,
      enabled: false,
      tool_timeout_secs: 120,
      connect_timeout_ms: 30_000,
      keep_alive: false,
      timeout_ms: 5_000.5,
    };
    for (const reach of [
      { command, args },
      { command: [command, ...args!], type: "local" },
    ]) {
      const { body } = await api.request("POST", "/api/mcp/servers/test", { ...entry, ...reach });
      expect(body).toMatchObject({ ok: true, tool_count: 1 });
    }
    const remote = { ...entry, transport: "http", command: "", args: [], url: "http://127.0.0.1:1/mcp" };
    expect((await api.request("POST", "/api/mcp/servers/test", remote)).body).toMatchObject({
      ok: false,
      latency_ms: expect.any(Number),
    });
    for (const [wrong, said] of [
      [{ command: "", args: [] }, "server.command"],
      [{ command, tool_timeout_secs: 601 }, "server.timeoutMs"],
      [{ command, commnd: 1 }, "commnd"],
    ] as const) {
      const { status, body } = await api.request("POST", "/api/mcp/servers/test", { ...entry, ...wrong });
      expect([status, body.error.message]).toEqual([400, expect.stringContaining(said)]);
    }
    expect((await api.request("GET", "/api/servers")).body.servers).toEqual([]);
  });

  inDeep("C12: tests a registered server by its name alone, on a new connection", async () => {
    await using folder = await tempHome();
    const starts = join(folder.path, "starts");
    await using api = await testApi();
    const server = { name: "fix", wait: true, ...fixture("counts its starts", starts) };
    await api.request("POST", "/api/servers", server);
    const { body } = await api.request("POST", "/api/mcp/servers/test", { name: "fix" });
    expect(body).toEqual({ ok: true, tool_count: 1, tools: ["echo"], latency_ms: expect.any(Number) });
    expect((await readFile(starts, "utf8")).trim().split("\n")).toHaveLength(2);
    const unknown = await api.request("POST", "/api/mcp/servers/test", { name: "fxi" });
    expect([unknown.status, unknown.body.error.code]).toEqual([404, "NOT_FOUND"]);
  });

  inDeep("tests a registered server, and an unknown one is not found", async () => {
    await using folder = await tempHome();
    await using api = await testApi({ servers: { fs: filesystem(folder.path) } });
    expect((await api.request("POST", "/api/servers/fs/test")).body.ok).toBe(true);
    const unknown = await api.request("POST", "/api/servers/sf/test");
    expect(unknown.status).toBe(404);
    expect(unknown.body.error.message).toMatch(/did you mean "?fs/);
  });
});

describe("/api/servers/:name/logs", () => {
  it("shows what the server wrote, printed by mistake and became, after a cursor", async () => {
    await using api = await testApi();
    await api.request("POST", "/api/servers", { name: "junk", wait: true, ...fixture("prints junk") });
    const first = await api.request("GET", "/api/servers/junk/logs");
    expect(first.status).toBe(200);
    const kinds = first.body.entries.map((entry: { kind: string }) => entry.kind);
    expect(kinds).toEqual(expect.arrayContaining(["junk", "state"]));
    expect(first.body.junkLines).toBeGreaterThan(0);
    expect(first.body.entries.map((entry: { text: string }) => entry.text)).toContain("ready");

    const { cursor } = first.body;
    await api.request("POST", "/api/servers/junk/disable");
    const later = await api.request("GET", `/api/servers/junk/logs?since=${cursor}`);
    expect(later.body.entries.every((entry: { seq: number }) => entry.seq > cursor)).toBe(true);
    expect(later.body.entries.at(-1)).toMatchObject({ kind: "state", text: "disabled" });
    const last = await api.request("GET", "/api/servers/junk/logs?lines=1");
    expect(last.body.entries).toHaveLength(1);
  });

  it("keeps what a process wrote before it ended, without the secrets in it", async () => {
    await using api = await testApi();
    await api.request("POST", "/api/servers", {
      name: "dies",
      wait: true,
      ...fixture("dies during a call"),
      env: { FIXTURE_TOKEN: "canary-in-stderr" },
    });
    await api.request("POST", "/api/call", { name: "mcp_dies_die" });
    await waitUntil("its last words are kept", async () => {
      const { body } = await api.request("GET", "/api/servers/dies/logs");
      return body.entries.some((entry: { text: string }) => entry.text === "fatal: [redacted]");
    });
  });

  it("knows no server that does not exist, and no odd cursor", async () => {
    await using api = await testApi();
    expect((await api.request("GET", "/api/servers/gone/logs")).status).toBe(404);
    await api.request("POST", "/api/servers", { name: "s", command: "false", enabled: false });
    expect((await api.request("GET", "/api/servers/s/logs?since=-1")).status).toBe(400);
    expect((await api.request("GET", "/api/servers/s/logs?sinse=1")).status).toBe(400);
  });
});

describe("/api/servers with everything a server can have", () => {
  const oauth = {
    grant: "client_credentials",
    clientId: "me",
    clientSecret: "canary-client-secret",
    scope: "a b",
  };
  const tls = { cert: "/c.pem", key: "/k.pem", ca: null };
  const life = {
    keepAlive: true,
    progressExtendsTimeout: true,
    retry: "once",
    maxConcurrency: 2,
    connect: "eager",
  };

  it("takes it and shows all but the secrets", async () => {
    await using api = await testApi();
    const url = "https://x.example/mcp";
    const { status, body } = await api.request("POST", "/api/servers", {
      name: "s",
      url,
      enabled: false,
      oauth,
      tls,
      ...life,
    });
    expect([status, body.error]).toEqual([201, undefined]);
    expect(body.server).toMatchObject({
      ...life,
      tls,
      oauth: {
        grant: "client_credentials",
        clientId: "me",
        hasSecret: true,
        hasPrivateKey: false,
        scope: "a b",
      },
    });
    expect(JSON.stringify(body)).not.toContain("canary");
    const changed = await api.request("PATCH", "/api/servers/s", {
      oauth: { scope: null },
      keepAlive: false,
    });
    expect(changed.body.server).toMatchObject({ keepAlive: false, oauth: { hasSecret: true, scope: null } });
    const without = await api.request("PATCH", "/api/servers/s", { oauth: null, tls: null });
    expect(without.body.server).toMatchObject({ oauth: null, tls: null });
  });

  it("refuses what it does not know, without quoting it", async () => {
    await using api = await testApi();
    const server = { name: "s", url: "https://x.example/mcp", oauth: { secret: "canary" } };
    const { status, body } = await api.request("POST", "/api/servers", server);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).not.toContain("canary");
  });
});

describe("/api/servers/:name/approve", () => {
  it("approves what was looked at and nothing else", async () => {
    await using api = await testApi();
    await api.hub.upstream.add("s", { command: "false" }, { addedBy: "scout" });
    const { changedAt } = (await api.request("GET", "/api/servers/s")).body.server;
    await waitUntil("the clock has moved", () => Date.now() > changedAt);
    await api.hub.upstream.update("s", { command: "rm" }, { by: "scout" });
    const refused = await api.request("POST", "/api/servers/s/approve", { changedAt });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "BAD_REQUEST" } } });
    const now = (await api.request("GET", "/api/servers/s")).body.server;
    expect(now.state).toBe("pending_approval");
    const approved = await api.request("POST", "/api/servers/s/approve", { changedAt: now.changedAt });
    expect(approved.status).toBe(200);
    expect(approved.body.server.state).not.toBe("pending_approval");
  });
});

it("a number out of its range is refused with the field and the range", async () => {
  await using api = await testApi();
  const { status, body } = await api.request("POST", "/api/servers", {
    name: "s",
    command: "x",
    maxConcurrency: 0,
  });
  expect(status).toBe(400);
  expect(body.error.message).toBe("server.maxConcurrency: expected a whole number from 1 to 1000, got 0");
});
