// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to variables are what it is about
import { describe, expect, it } from "vitest";
import { toCandidate } from "../../../../../src/features/clients/import/import-preview.ts";
import { clientHome } from "../../../../support/client-home.ts";
import { inDeep } from "../../../../support/length.ts";
import { tempHome } from "../../../../support/temp-home.ts";
import { testApi } from "../../../../support/test-api.ts";
import { EVERYTHING } from "../../../../support/test-hub.ts";

const CANARY = "canary-value-of-a-secret";

describe("imports", () => {
  it("are shown without any value", async () => {
    await using home = await clientHome();
    await home.write(".claude.json", {
      mcpServers: {
        a: { command: "npx", args: ["--token", CANARY], env: { A_KEY: CANARY } },
        b: { url: "https://b.example/mcp", headers: { Authorization: `Bearer ${CANARY}` } },
      },
    });
    await home.write("project/.mcp.json", { mcpServers: { c: { command: "c", env: { C: "${UNSET}" } } } });
    await home.write(".cursor/mcp.json", "{");
    await using api = await testApi({ env: { HOME: home.home } });
    const { status, body } = await api.request("GET", `/api/imports?cwd=${encodeURIComponent(home.project)}`);
    expect(status).toBe(200);
    expect(body.servers).toMatchObject([
      {
        name: "a",
        clients: ["claude-code"],
        reach: "npx --token ***",
        envKeys: ["A_KEY"],
        enabled: true,
        verdict: { kind: "new", name: "a" },
      },
      { name: "b", reach: "https://b.example/mcp", headerKeys: ["Authorization"] },
      { name: "c", missing: ["${UNSET}"], enabled: false },
    ]);
    expect(body.files).toContainEqual(
      expect.objectContaining({ client: "cursor", problem: expect.stringContaining("line 1") }),
    );
    expect(JSON.stringify(body)).not.toContain(CANARY);
  });

  it("register those that are named, once, with their values sealed", async () => {
    await using home = await clientHome();
    await home.write(".gemini/settings.json", {
      mcpServers: { every: { ...EVERYTHING, env: { KEY: CANARY } }, other: { command: "never-started" } },
    });
    await using api = await testApi({ env: { HOME: home.home } });
    const { body } = await api.request("POST", "/api/imports", { names: ["every"], wait: true });
    expect(body.results).toMatchObject([
      { verdict: { kind: "new", name: "every" }, error: null, server: { state: "ready", envKeys: ["KEY"] } },
    ]);
    expect(body.results[0].server.toolCount).toBeGreaterThan(5);
    expect(JSON.stringify(body)).not.toContain(CANARY);
    expect(api.hub.vault.redact(CANARY)).toBe("[redacted]");
    expect(api.hub.upstream.servers().map((server) => server.name)).toEqual(["every"]);

    const again = await api.request("GET", "/api/imports");
    expect(again.body.servers).toMatchObject([
      { name: "every", verdict: { kind: "same", name: "every" } },
      { name: "other", verdict: { kind: "new" } },
    ]);
    const twice = await api.request("POST", "/api/imports", { names: ["every"] });
    expect(twice.body.results).toMatchObject([{ verdict: { kind: "same" }, error: null }]);
  });

  it("tell a server with other values from one with the same", async () => {
    await using home = await clientHome();
    const entry = (token: string) => ({ url: "https://x.example/mcp", headers: { Authorization: token } });
    await home.write(".cursor/mcp.json", { mcpServers: { one: entry("first"), two: entry("second") } });
    await using api = await testApi({ env: { HOME: home.home } });
    await api.hub.upstream.add("mine", { ...entry("first"), enabled: false });
    const { body } = await api.request("GET", "/api/imports");
    expect(body.servers.map((server: { verdict: object }) => server.verdict)).toEqual([
      { kind: "same", name: "mine" },
      { kind: "new", name: "two" },
    ]);
  });

  it("give a server the values it lacked when it was imported first", async () => {
    await using home = await clientHome();
    await home.write(".cursor/mcp.json", {
      mcpServers: { every: { ...EVERYTHING, env: { KEY: "${env:LATE}" } } },
    });
    await using kept = await tempHome();
    const start = (env: Readonly<Record<string, string>>) =>
      testApi({ home: kept.path, env: { HOME: home.home, ...env } });
    {
      await using before = await start({});
      const first = await before.request("POST", "/api/imports", { names: ["every"], wait: true });
      expect(first.body.results).toMatchObject([{ server: { state: "disabled", envKeys: [] } }]);
    }
    await using api = await start({ LATE: CANARY });
    const { body } = await api.request("GET", "/api/imports");
    expect(body.servers[0].verdict).toEqual({ kind: "completed", name: "every" });
    const second = await api.request("POST", "/api/imports", { names: ["every"], wait: true });
    expect(second.body.results).toMatchObject([{ error: null, server: { name: "every", state: "ready" } }]);
    expect(api.hub.upstream.servers()).toHaveLength(1);
    expect((await api.request("GET", "/api/imports")).body.servers[0].verdict.kind).toBe("same");
  });

  it("of servers found elsewhere are judged by digests alone and registered with what is sent", async () => {
    await using home = await clientHome();
    await home.write(".cursor/mcp.json", {
      mcpServers: { a: { command: "a", disabled: true }, "b\tb": { command: "b", disabled: true } },
    });
    const { servers } = await home.discover();
    await using api = await testApi({ env: { HOME: "/nowhere" } });
    const candidates = servers.map(toCandidate);
    const preview = await api.request("POST", "/api/imports/preview", { servers: candidates });
    expect(preview.body.verdicts).toEqual([
      { kind: "new", name: "a" },
      { kind: "renamed", name: "b-b", why: "not allowed" },
    ]);
    const sent = servers.map((server) => ({ ...server.fields, ...toCandidate(server) }));
    const { body } = await api.request("POST", "/api/imports", { servers: sent });
    expect(body.results.map((result: { error: unknown }) => result.error)).toEqual([null, null]);
    expect(api.hub.upstream.servers().map((server) => [server.name, server.state])).toEqual([
      ["a", "disabled"],
      ["b-b", "disabled"],
    ]);
  });

  inDeep("go on after one that cannot be registered, and say why", async () => {
    await using api = await testApi();
    const digests = ["0".repeat(64)];
    const { body } = await api.request("POST", "/api/imports", {
      servers: [
        { name: "bad", clients: ["x"], digests, url: "ftp://x" },
        { name: "good", clients: ["x"], digests: ["1".repeat(64)], command: "good", enabled: false },
      ],
    });
    expect(body.results).toMatchObject([
      { error: expect.stringContaining("server.url: expected"), server: null },
      { error: null, server: { name: "good" } },
    ]);
  });

  it.each([
    [{}],
    [{ names: ["a"], servers: [] }],
    [{ servers: [{ name: "a", clients: [], digests: ["short"] }] }],
    [{ servers: [{ name: "a", clients: [], digests: [], surprise: 1 }] }],
  ])("refuse a request that makes no sense: %j", async (body) => {
    await using api = await testApi();
    expect(await api.request("POST", "/api/imports", body)).toMatchObject({
      status: 400,
      body: { error: { code: "BAD_REQUEST" } },
    });
  });

  it("refuse a folder that is no whole path, and a name that was not found", async () => {
    await using api = await testApi({ env: { HOME: "/nowhere" } });
    expect((await api.request("GET", "/api/imports?cwd=here")).status).toBe(400);
    expect((await api.request("POST", "/api/imports", { names: ["gone"] })).status).toBe(404);
  });

  it("want an admin", async () => {
    await using api = await testApi();
    for (const [method, url] of [
      ["GET", "/api/imports"],
      ["POST", "/api/imports"],
      ["POST", "/api/imports/preview"],
    ] as const) {
      expect((await api.app.inject({ method, url, payload: {} })).statusCode).toBe(401);
    }
  });
});
