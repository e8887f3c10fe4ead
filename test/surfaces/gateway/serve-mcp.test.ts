import http from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTables } from "../../support/call-tables.ts";
import { type Era, INITIALIZE, type TestGateway, testGateway } from "../../support/test-gateway.ts";
import { EVERYTHING } from "../../support/test-hub.ts";
import { waitUntil } from "../../support/wait-until.ts";

const LONG = "mcp_everything_trigger_long_running_operation";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await testGateway({
    servers: { everything: EVERYTHING },
    toolboxes: { demo: ["mcp_everything_echo", "mcp_everything_get_structured_content", LONG] },
    agents: { worker: ["demo"], bare: [] },
    settings: { max_message_bytes: 100_000 },
  });
  await gateway.hub.upstream.test("everything");
});

afterAll(() => gateway[Symbol.asyncDispose]());

describe.each<Era>(["legacy", "modern"])("a client of the %s era", (era) => {
  it("lists what its agent's toolboxes grant, ordered by name", async () => {
    const client = await gateway.client("worker", era);
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    expect(names).toContain("mcp_everything_echo");
    expect(names).toContain("read_file");
    expect(names).not.toContain("mcp_everything_get_env");
    expect(names).toEqual([...names].sort());
  });

  it("sees the core floor alone without toolboxes", async () => {
    const client = await gateway.client("bare", era);
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    expect(names).toEqual(gateway.hub.catalog.visible(gateway.caller("bare")).map((tool) => tool.name));
  });

  it("calls a server's tool", async () => {
    const client = await gateway.client("worker", era);
    const result = await client.callTool({ name: "mcp_everything_echo", arguments: { message: "hi" } });
    expect(result).toMatchObject({
      content: [{ type: "text", text: "Echo: hi" }],
      _meta: { "toolkeep/outcome": "ok", "toolkeep/call_id": expect.any(String) },
    });
    expect(result.isError).toBeFalsy();
  });

  it("gets structured content that fits the listed schema", async () => {
    const client = await gateway.client("worker", era);
    await client.listTools();
    const result = await client.callTool({
      name: "mcp_everything_get_structured_content",
      arguments: { location: "New York" },
    });
    expect(result.structuredContent).toMatchObject({ temperature: expect.any(Number) });
  });

  it.each([
    ["mcp_everything_get_env", "not_granted"],
    ["mcp_everything_ecko", "unknown_tool"],
  ])("is told by a result, not a protocol error, that %s is %s", async (name, outcome) => {
    const client = await gateway.client("worker", era);
    const result = await client.callTool({ name, arguments: {} });
    expect(result).toMatchObject({ isError: true, _meta: { "toolkeep/outcome": outcome } });
    if (outcome === "unknown_tool") expect(JSON.stringify(result.content)).toContain("mcp_everything_echo");
  });

  it("learns who it is and how many tools it has", async () => {
    const client = await gateway.client("worker", era);
    const count = gateway.hub.catalog.visible(gateway.caller("worker")).length;
    expect(client.getInstructions()).toContain(`the agent "worker" ${count} tools`);
    expect(client.getServerVersion()).toMatchObject({ name: "toolkeep", version: "0.0.0-test" });
  });

  it("gets method-not-found for what the gateway does not offer", async () => {
    const client = await gateway.client("worker", era);
    await expect(client.request({ method: "prompts/list" })).rejects.toThrow(/Method not found/);
  });

  it("gets progress when it asks for it", async () => {
    const client = await gateway.client("worker", era);
    const progress: unknown[] = [];
    await client.callTool(
      { name: LONG, arguments: { duration: 0.3, steps: 3 } },
      { onprogress: (update) => progress.push(update) },
    );
    expect(progress).toContainEqual(expect.objectContaining({ progress: 1, total: 3 }));
  });

  it("cancels a call all the way to its tool", async () => {
    const client = await gateway.client("worker", era);
    const ended: string[] = [];
    const stop = gateway.hub.events.on("call.ended", ({ tool, outcome }) => ended.push(`${tool} ${outcome}`));
    const cancel = new AbortController();
    const call = client.callTool(
      { name: LONG, arguments: { duration: 60, steps: 600 } },
      { signal: cancel.signal, onprogress: () => cancel.abort() },
    );
    await expect(call).rejects.toThrow();
    await waitUntil("the call is cancelled", () => ended.includes(`${LONG} cancelled`));
    stop();
  });

  it("hears of a change to its own list", async () => {
    let changes = 0;
    await gateway.hub.catalog.toolboxes.create(`box-${era}`, { tools: ["mcp_everything_echo"] });
    await gateway.hub.identity.createAgent(`watcher-${era}`, { toolboxes: [`box-${era}`] });
    const client = await gateway.client(`watcher-${era}`, era, {
      onToolsChanged: () => {
        changes += 1;
      },
    });
    const before = (await client.listTools()).tools.length;
    await waitUntil("the client listens", async () => {
      await gateway.hub.catalog.toolboxes.update(`box-${era}`, { tools: ["mcp_everything_echo", LONG] });
      await gateway.hub.catalog.toolboxes.update(`box-${era}`, { tools: [LONG] });
      return changes > 0;
    });
    expect((await client.listTools({}, { cacheMode: "refresh" })).tools.length).toBe(before);
  });

  it("sees a grant from its next request on", async () => {
    await gateway.hub.identity.createAgent(`grown-${era}`);
    const client = await gateway.client(`grown-${era}`, era);
    expect(
      (await client.callTool({ name: "mcp_everything_echo", arguments: { message: "x" } })).isError,
    ).toBe(true);
    await gateway.hub.identity.updateAgent(`grown-${era}`, { toolboxes: ["demo"] });
    const result = await client.callTool({ name: "mcp_everything_echo", arguments: { message: "x" } });
    expect(result.isError).toBeFalsy();
  });
});

describe("what a client of the modern era gets", () => {
  it("says how long a list keeps, and for whom", async () => {
    const client = await gateway.client("worker", "modern");
    expect(await client.listTools()).toMatchObject({ ttlMs: 30_000, cacheScope: "private" });
  });

  it("ties calls to the conversation that they name, else to the token", async () => {
    const client = await gateway.client("worker", "modern");
    const call = { name: "think", arguments: { thought: "a" } };
    await client.callTool({ ...call, _meta: { "toolkeep/conversation": "my-chat" } });
    await client.callTool(call);
    const { hub } = gateway;
    const agentId = hub.identity.agent("worker").id;
    await waitUntil("both calls are recorded", async () => {
      const calls = await callTables(hub.store).calls.list({ limit: 50, agentId, tool: "think" });
      return (
        calls.some((one) => one.conversation === "my-chat") &&
        calls.some((one) => one.conversation === one.tokenId)
      );
    });
  });
});

describe("a session", () => {
  it("answers ping", async () => {
    const client = await gateway.client("worker", "legacy");
    expect(await client.ping()).toEqual({});
  });

  it.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])("speaks version %s", async (version) => {
    const body = INITIALIZE.replace("2025-06-18", version);
    const response = await gateway.fetch({ token: await gateway.token("worker"), body });
    expect(await response.text()).toContain(`"protocolVersion":"${version}"`);
  });

  it("is unknown to another token, also of the same agent", async () => {
    const owner = await gateway.token("worker");
    const opened = await gateway.fetch({ token: owner, body: INITIALIZE });
    const headers = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    expect((await gateway.fetch({ token: owner, headers, body })).status).toBe(200);
    expect((await gateway.fetch({ token: await gateway.token("worker"), headers, body })).status).toBe(404);
  });

  it("ends with DELETE and is unknown from then on", async () => {
    const token = await gateway.token("worker");
    const opened = await gateway.fetch({ token, body: INITIALIZE });
    const headers = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    expect((await gateway.fetch({ method: "DELETE", token, headers })).status).toBe(200);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" });
    expect((await gateway.fetch({ token, headers, body })).status).toBe(404);
  });

  it("is asked for by everything that needs one", async () => {
    const token = await gateway.token("worker");
    const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    expect((await gateway.fetch({ token, body })).status).toBe(400);
    expect((await gateway.fetch({ method: "GET", token })).status).toBe(400);
  });
});

describe("a request is turned away", () => {
  it("with 401 and a bare challenge without a token", async () => {
    const response = await gateway.fetch({ body: INITIALIZE });
    expect(response.status).toBe(401);
    const challenge = response.headers.get("www-authenticate");
    expect(challenge).toMatch(/^Bearer realm="toolkeep", resource_metadata="http/);
    expect(challenge).not.toContain("error");
    expect(await response.json()).toMatchObject({
      jsonrpc: "2.0",
      error: { data: { code: "UNAUTHORIZED" } },
    });
  });

  it("with 401 and the reason with a token nobody made", async () => {
    const response = await gateway.fetch({ token: "tk_sk_wrong", body: INITIALIZE });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
  });

  it("with 401 once its token has expired", async () => {
    const token = await gateway.token("worker", { expiresInMs: 1 });
    await waitUntil(
      "the token has expired",
      async () => (await gateway.fetch({ token, body: INITIALIZE })).status === 401,
    );
    const response = await gateway.fetch({ token, body: INITIALIZE });
    expect(response.headers.get("www-authenticate")).toContain("has expired");
  });

  it("with 403 for an admin's token, which opens no tools", async () => {
    const { token } = await gateway.hub.identity.createToken({});
    const response = await gateway.fetch({ token, body: INITIALIZE });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("needs an agent's");
  });

  it.each([{ host: "evil.example" }, { origin: "https://evil.example" }])(
    "with 403 for %j",
    async (headers) => {
      expect(await statusOf({ ...headers, authorization: `Bearer ${await gateway.token("worker")}` })).toBe(
        403,
      );
    },
  );

  it.each(["PUT", "PATCH", "OPTIONS"])("with 405 for %s, and what is allowed", async (method) => {
    const response = await gateway.fetch({ method, token: await gateway.token("worker") });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, POST, DELETE");
  });

  it("with 400 when its body is no JSON", async () => {
    const response = await gateway.fetch({ token: await gateway.token("worker"), body: "{" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: -32700 } });
  });

  it.each(["null", "7", "[]", '{"jsonrpc":"1.0"}', '[{"jsonrpc":"2.0","method":4}]'])(
    "with a 4xx when its body is no message: %s",
    async (body) => {
      const { status } = await gateway.fetch({ token: await gateway.token("worker"), body });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    },
  );

  it("with 413 when its body is too large, and the connection lives on", async () => {
    const token = await gateway.token("worker");
    const response = await gateway.fetch({ token, body: JSON.stringify("x".repeat(100_000)) });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining("100000 bytes") },
    });
    expect((await gateway.fetch({ token, body: INITIALIZE })).status).toBe(200);
  });

  it("with 413 when its body is far too large, and the next request on its connection is answered", async () => {
    const authorization = `Bearer ${await gateway.token("worker")}`;
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { authorization, accept: "application/json, text/event-stream" };
    expect(await statusOf(headers, { agent, body: "x".repeat(5_000_000) })).toBe(413);
    expect(await statusOf(headers, { agent })).toBe(200);
    agent.destroy();
  });

  it.each([
    [
      "is a batch of thousands",
      `[${'{"jsonrpc":"2.0","method":"x"},'.repeat(2_000)}1]`,
      "at most 100 messages",
    ],
    ["is nested without end", `{"a":${"[".repeat(40_000)}${"]".repeat(40_000)}}`, "at most 256 levels"],
  ])("with 400 when its body %s", async (_, body, message) => {
    const response = await gateway.fetch({ token: await gateway.token("worker"), body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining(message) } });
  });
});

/** `fetch` does not let a test set Host. */
function statusOf(
  headers: Record<string, string>,
  { agent, body = INITIALIZE }: { agent?: http.Agent; body?: string } = {},
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = http.request(gateway.url, {
      method: "POST",
      ...(agent && { agent }),
      headers: { ...headers, "content-type": "application/json" },
    });
    request.once("response", (response) => response.resume().once("end", () => resolve(response.statusCode)));
    request.once("error", reject);
    request.end(body);
  });
}
