import { describe, expect, it } from "vitest";
import { testApi } from "../../../../support/test-api.ts";

describe("/api/agents", () => {
  it("creates, shows, changes and deletes an agent", async () => {
    await using api = await testApi();
    const created = await api.request("POST", "/api/agents", { name: "writer", description: "writes" });
    expect(created.status).toBe(201);
    expect(created.body.agent).toMatchObject({
      name: "writer",
      parent: null,
      context: "main",
      toolboxes: [],
    });

    const folders = [{ path: "/srv/docs", access: "read" }];
    const changed = await api.request("PATCH", "/api/agents/writer", { folders });
    expect(changed.body.agent).toMatchObject({ description: "writes", folders });

    expect((await api.request("GET", "/api/agents")).body.agents).toHaveLength(1);
    expect((await api.request("DELETE", "/api/agents/writer")).body).toEqual({ done: true });
    expect((await api.request("GET", "/api/agents/writer")).status).toBe(404);
  });

  it("refuses a taken and an unusable name", async () => {
    await using api = await testApi({ agents: { main: [] } });
    const codeOf = async (name: string) =>
      (await api.request("POST", "/api/agents", { name })).body.error.code;
    expect(await codeOf("main")).toBe("NAME_TAKEN");
    expect(await codeOf("../etc")).toBe("NAME_INVALID");
  });

  it("reports unknown toolboxes and tools and keeps them", async () => {
    await using api = await testApi();
    const { body } = await api.request("POST", "/api/agents", {
      name: "a",
      toolboxes: ["nope"],
      grants: ["mcp_x_y"],
    });
    expect(body.unknown).toEqual(["toolbox nope", "mcp_x_y"]);
    expect(body.agent).toMatchObject({ toolboxes: ["nope"], grants: ["mcp_x_y"] });
  });

  it("says where each grant of an agent comes from", async () => {
    await using api = await testApi({ agents: { main: ["all"] } });
    const { body } = await api.request("GET", "/api/agents/main/tools");
    const read = body.tools.find((tool: { name: string }) => tool.name === "read_file");
    expect(read.grantedBy).toEqual(["floor", "toolbox all"]);
  });

  it("shows what a sub-agent reported, by name", async () => {
    await using api = await testApi({ agents: { main: [] } });
    await api.request("POST", "/api/agents", { name: "scout1", parent: "main" });
    const report = await api.request("POST", "/api/call", {
      name: "report_to_parent",
      arguments: { message: "found it" },
      agent: "scout1",
    });
    expect(report.body.outcome).toBe("ok");
    const { body } = await api.request("GET", "/api/agents/main/messages?unread=true");
    expect(body.messages).toMatchObject([{ from: "scout1", to: "main", readAt: null }]);

    const ids = [body.messages[0].id, "msg_of_somebody_else"];
    await api.request("POST", "/api/agents/main/messages/read", { ids });
    expect((await api.request("GET", "/api/agents/main/messages?unread=true")).body.messages).toEqual([]);
    expect((await api.request("GET", "/api/agents/main/messages")).body.messages).toHaveLength(1);
  });
});

describe("/api/tokens", () => {
  it("shows a token once, at its creation, and never its hash", async () => {
    await using api = await testApi({ agents: { main: [] } });
    const { status, body } = await api.request("POST", "/api/tokens", { agent: "main", scopes: ["files"] });
    expect(status).toBe(201);
    expect(body.token).toMatch(/^tk_sk_[\w-]{43}$/);
    expect(body.record).toMatchObject({ agent: "main", kind: "agent", scopes: ["files"] });

    const listed = JSON.stringify((await api.request("GET", "/api/tokens")).body);
    expect(listed).not.toContain(body.token);
    expect(listed).not.toContain("hash");
  });

  it("lets a revoked admin token no longer in", async () => {
    await using api = await testApi();
    const { token, record } = (await api.request("POST", "/api/tokens", {})).body;
    const headers = { authorization: `Bearer ${token}` };
    expect((await api.app.inject({ url: "/api/status", headers })).statusCode).toBe(200);
    await api.request("DELETE", `/api/tokens/${record.id}`);
    expect((await api.app.inject({ url: "/api/status", headers })).statusCode).toBe(401);
  });
});

describe("/api/toolboxes", () => {
  it("creates, changes and deletes own ones and reports unknown names", async () => {
    await using api = await testApi();
    const created = await api.request("POST", "/api/toolboxes", {
      name: "reading",
      tools: ["gone", "read_file"],
    });
    expect(created.body.toolbox).toMatchObject({
      tools: ["gone", "read_file"],
      unknown: ["gone"],
      builtin: false,
    });
    const changed = await api.request("PATCH", "/api/toolboxes/reading", { tools: ["grep"] });
    expect(changed.body.toolbox.tools).toEqual(["grep"]);
    await api.request("DELETE", "/api/toolboxes/reading");
    expect((await api.request("GET", "/api/toolboxes/reading")).status).toBe(404);
  });

  it("keeps built-in ones as they are", async () => {
    await using api = await testApi();
    const { body } = await api.request("DELETE", "/api/toolboxes/all");
    expect(body.error.code).toBe("READ_ONLY");
  });
});
