import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../support/temp-home.ts";
import { testApi } from "../../support/test-api.ts";
import { filesystem } from "../../support/test-hub.ts";

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

  it("tests a registered server, and an unknown one is not found", async () => {
    await using folder = await tempHome();
    await using api = await testApi({ servers: { fs: filesystem(folder.path) } });
    expect((await api.request("POST", "/api/servers/fs/test")).body.ok).toBe(true);
    const unknown = await api.request("POST", "/api/servers/sf/test");
    expect(unknown.status).toBe(404);
    expect(unknown.body.error.message).toMatch(/did you mean "?fs/);
  });
});
