import { describe, expect, it } from "vitest";
import { testApi } from "../../../../support/test-api.ts";

const counts = () => ({ sessions: 0, streams: 0, subscriptions: 0, heldCalls: 0 });

describe("/api/mcp/discovery", () => {
  it("says where MCP is served, also narrowed, and that it works", async () => {
    const gateway = () => ({ endStreams() {}, counts });
    await using api = await testApi({ options: { gateway }, toolboxes: { mine: ["read_file"] } });
    await api.request("POST", "/api/servers", { name: "s", command: "false", enabled: false });
    const { status, body } = await api.request("GET", "/api/mcp/discovery");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      available: true,
      url: "http://127.0.0.1:19850/mcp",
      rpc_url: "http://127.0.0.1:19850/rpc",
      servers: [{ name: "s", url: "http://127.0.0.1:19850/mcp/server/s" }],
      health: { status: "ok", ready: true, version: "1.2.3" },
    });
    expect(body.toolboxes).toContainEqual({ name: "mine", url: "http://127.0.0.1:19850/mcp/mine" });
  });

  it("says so where nothing serves MCP", async () => {
    await using api = await testApi();
    const { body } = await api.request("GET", "/api/mcp/discovery");
    expect(body).toEqual({ available: false, reason: expect.stringContaining("toolkeep serve") });
  });
});
