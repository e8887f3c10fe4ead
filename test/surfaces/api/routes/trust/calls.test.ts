import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { ADMIN_TOKEN, testApi } from "../../../../support/test-api.ts";
import { waitUntil } from "../../../../support/wait-until.ts";

describe("/api/call", () => {
  it("answers with the envelope, whatever the outcome", async () => {
    await using api = await testApi({ agents: { main: [] }, toolboxes: {} });
    const ok = await api.request("POST", "/api/call", { name: "think", arguments: { thought: "hm" } });
    expect([ok.status, ok.body.outcome]).toEqual([200, "ok"]);
    const unknown = await api.request("POST", "/api/call", { name: "thinc" });
    expect([unknown.status, unknown.body.outcome]).toEqual([200, "unknown_tool"]);
    expect(unknown.body.error.message).toContain("think");
  });

  it("as an agent has only what the agent is granted", async () => {
    await using api = await testApi({ agents: { main: [] } });
    const { body } = await api.request("POST", "/api/call", {
      name: "report_to_parent",
      arguments: { message: "x" },
      agent: "main",
    });
    expect(body.outcome).not.toBe("ok");
    expect((await api.request("POST", "/api/call", { name: "think", agent: "mian" })).status).toBe(404);
  });

  it("is cancelled when its client disconnects", async () => {
    await using api = await testApi();
    await api.app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = api.app.server.address() as AddressInfo;
    const leave = new AbortController();
    const answer = fetch(`http://127.0.0.1:${port}/api/call`, {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "prompt_human", arguments: { question: "still there?" } }),
      signal: leave.signal,
    });
    await waitUntil("the question is asked", async () => (await api.hub.questions.list()).length === 1);
    leave.abort();
    await expect(answer).rejects.toThrow();
    await waitUntil("the call is recorded as cancelled", async () => {
      const { body } = await api.request("GET", "/api/calls?tool=prompt_human");
      return body.calls[0]?.outcome === "cancelled";
    });
  });
});

describe("/api/calls", () => {
  it("lists the newest calls first, by agent and tool", async () => {
    await using api = await testApi({ agents: { main: [] } });
    for (const agent of [undefined, "main"]) {
      await api.request("POST", "/api/call", {
        name: "think",
        arguments: { thought: "x" },
        ...(agent ? { agent } : {}),
      });
    }
    await waitUntil("both calls are written", async () => {
      return (await api.request("GET", "/api/calls")).body.calls.length === 2;
    });
    const { body } = await api.request("GET", "/api/calls?limit=10&agent=main&tool=think");
    expect(body.calls).toMatchObject([{ agent: "main", tool: "think", outcome: "ok", via: "api" }]);
    expect((await api.request("GET", "/api/calls?limit=0")).status).toBe(400);
  });
});

describe("/api/tools", () => {
  it("lists all tools, or those an agent sees", async () => {
    await using api = await testApi({ agents: { main: [] } });
    const all = (await api.request("GET", "/api/tools")).body.tools;
    const seen = (await api.request("GET", "/api/tools?agent=main")).body.tools;
    expect(all.length).toBeGreaterThan(seen.length);
    expect(seen.map((tool: { name: string }) => tool.name)).toContain("read_file");
  });

  it("shows one with its schema and who may call it, and guesses a misspelt name", async () => {
    await using api = await testApi({ agents: { main: [] } });
    const { tool } = (await api.request("GET", "/api/tools/read_file")).body;
    expect(tool).toMatchObject({ name: "read_file", agents: ["main"], inputSchema: { type: "object" } });
    const { status, body } = await api.request("GET", "/api/tools/read_fil");
    expect([status, body.error.message]).toEqual([404, "no tool is named read_fil; did you mean read_file?"]);
  });
});
