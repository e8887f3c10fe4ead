import { describe, expect, it } from "vitest";
import { testApi } from "../../../../support/test-api.ts";

const names = (tools: readonly { name: string }[]) => tools.map(({ name }) => name);

describe("POST /api/access/preview", () => {
  it("shows what an agent would gain and lose, and what its list would cost", async () => {
    await using api = await testApi({
      toolboxes: { web: ["http_request", "browse_url"], secret: ["list_secrets"] },
      agents: { main: ["web"] },
    });
    const { body } = await api.request("POST", "/api/access/preview", {
      agent: { name: "main", toolboxes: ["secret", "nowhere"] },
    });
    const [main] = body.agents;
    expect(names(main.added)).toEqual(["list_secrets"]);
    expect(main.added[0].grantedBy).toEqual(["toolbox secret"]);
    expect(names(main.removed)).toEqual(["browse_url", "http_request"]);
    expect(main.unknown).toEqual(["toolbox nowhere"]);
    expect(main.after.listedTokens).not.toBe(main.before.listedTokens);
    const { cost } = (await api.request("GET", "/api/agents/main/tools")).body;
    expect(cost).toEqual(main.before);
    expect(api.hub.identity.agent("main").toolboxes).toEqual(["web"]);
  });

  it("shows for whom a toolbox would change something, before it is changed or deleted", async () => {
    await using api = await testApi({
      toolboxes: { web: ["http_request"] },
      agents: { main: ["web"], also: ["web", "all"], other: [] },
    });
    const preview = async (tools: readonly string[] | null) =>
      (await api.request("POST", "/api/access/preview", { toolbox: { name: "web", tools } })).body;
    const changed = await preview(["http_request", "list_secrets", "no_such_tool"]);
    expect(changed.agents.map(({ agent }: { agent: string }) => agent)).toEqual(["main"]);
    expect(names(changed.toolbox.tools)).toEqual(["http_request", "list_secrets"]);
    expect(changed.toolbox.unknown).toEqual(["no_such_tool"]);
    const gone = await preview(null);
    expect(names(gone.agents[0].removed)).toEqual(["http_request"]);
    expect(gone.toolbox).toBeUndefined();
  });

  it("shows an agent that does not exist yet, with a toolbox that does not either", async () => {
    await using api = await testApi();
    const { body } = await api.request("POST", "/api/access/preview", {
      agent: { name: "new", toolboxes: ["fresh"] },
      toolbox: { name: "fresh", tools: ["list_secrets"] },
    });
    const [agent] = body.agents;
    expect(agent.before).toMatchObject({ listed: 0, listedTokens: 0 });
    expect(names(agent.added)).toEqual(expect.arrayContaining(["list_secrets", "read_file"]));
    expect(agent.unknown).toEqual([]);
  });

  it("names the rule that hides what is given", async () => {
    await using api = await testApi({
      agents: { main: [] },
      rules: [{ permission: "list_secrets", action: "deny" }],
    });
    const { body } = await api.request("POST", "/api/access/preview", {
      agent: { name: "main", grants: ["list_secrets"] },
    });
    expect(body.agents[0].added).toEqual([]);
    expect(body.agents[0].hidden).toMatchObject([{ name: "list_secrets" }]);
    expect(body.agents[0].hidden[0].rule).toContain("list_secrets");
  });

  it("is open to whoever may look, and is no action of anybody's", async () => {
    await using api = await testApi({ agents: { main: [] } });
    const viewer = (await api.request("POST", "/api/tokens", { role: "viewer" })).body.token;
    const { statusCode } = await api.app.inject({
      method: "POST",
      url: "/api/access/preview",
      headers: { authorization: `Bearer ${viewer}` },
      payload: { agent: { name: "main" } },
    });
    expect(statusCode).toBe(200);
    const { actions } = (await api.request("GET", "/api/audit/actions?kind=admin")).body;
    const subjects = actions.map(({ subject }: { subject: string }) => subject);
    expect(subjects).not.toContain("access/preview");
  });
});

describe("what two people change at once", () => {
  it("is refused to the second where it was read before", async () => {
    await using api = await testApi({ toolboxes: { web: ["http_request"] }, agents: { main: [] } });
    const { agent } = (await api.request("GET", "/api/agents/main")).body;
    const { toolbox } = (await api.request("GET", "/api/toolboxes/web")).body;
    await api.request("PATCH", "/api/agents/main", { grants: ["grep"], since: agent.updatedAt });
    await api.request("PATCH", "/api/toolboxes/web", { tools: [], since: toolbox.updatedAt });
    const late = await api.request("PATCH", "/api/agents/main", { grants: [], since: agent.updatedAt });
    expect([late.status, late.body.error.code]).toEqual([409, "CHANGED"]);
    const later = await api.request("PATCH", "/api/toolboxes/web", { tools: [], since: toolbox.updatedAt });
    expect([later.status, later.body.error.code]).toEqual([409, "CHANGED"]);
  });
});

describe("GET /api/toolboxes/:name/tools", () => {
  it("shows what a toolbox gives, through which entry, and what is only announced or unknown", async () => {
    await using api = await testApi({ toolboxes: { mixed: ["*", "grep", "send_email", "nothing"] } });
    const { body } = await api.request("GET", "/api/toolboxes/mixed/tools");
    const entryOf = (name: string) => body.tools.find((tool: { name: string }) => tool.name === name)?.entry;
    expect([entryOf("grep"), entryOf("read_file")]).toEqual(["grep", "*"]);
    expect(body.planned).toContain("send_email");
    expect(body.unknown).toEqual(["nothing"]);
    expect(body.tokens).toBeGreaterThan(1_000);
  });
});

describe("GET /api/mcp/snippets", () => {
  it("gives every client its text, with the address of a toolbox where one is named", async () => {
    await using api = await testApi();
    const { body } = await api.request("GET", "/api/mcp/snippets?toolbox=scout");
    const cursor = body.snippets.find(({ client }: { client: string }) => client === "cursor");
    expect(cursor.text).toContain("http://127.0.0.1:19850/mcp/scout");
    expect(cursor.text).toContain(body.placeholder);
  });
});
