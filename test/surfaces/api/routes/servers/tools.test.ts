import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import type { CallLine, ListedTool, ToolMatch } from "../../../../../src/surfaces/api/contract.ts";
import { inDeep } from "../../../../support/length.ts";
import { ADMIN_TOKEN, testApi } from "../../../../support/test-api.ts";
import { EVERYTHING } from "../../../../support/test-hub.ts";
import { waitUntil } from "../../../../support/wait-until.ts";

const names = (tools: readonly { name: string }[]) => tools.map(({ name }) => name);

describe("GET /api/tools", () => {
  it("gives pages of the whole catalogue, briefly and without schemas", async () => {
    await using api = await testApi();
    const whole = (await api.request("GET", "/api/tools")).body;
    const first = (await api.request("GET", "/api/tools?brief=true&limit=10")).body;
    const next = (await api.request("GET", "/api/tools?brief=true&limit=10&offset=10")).body;
    expect(first.total).toBe(whole.tools.length);
    expect(names([...first.tools, ...next.tools])).toEqual(names(whole.tools).slice(0, 20));
    const lengths = first.tools.map(({ description }: ListedTool) => description.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(200);
    expect(first.tools[0]).not.toHaveProperty("inputSchema");
    expect(first.tools[0].tokens).toBeGreaterThan(10);
  });

  inDeep(
    "narrows by origin, flag, state and part of a name, and counts origins whatever is asked for",
    async () => {
      await using api = await testApi({ servers: { every: EVERYTHING } });
      await waitUntil(
        "the server's tools are there",
        async () => api.hub.catalog.get("mcp_every_echo") !== undefined,
      );
      const ask = async (query: string) => (await api.request("GET", `/api/tools?${query}`)).body;
      expect(names((await ask("server=every&text=ECHO")).tools)).toEqual(["mcp_every_echo"]);
      const { tools, origins } = await ask("origin=mcp");
      expect(tools.every(({ origin }: ListedTool) => origin === "mcp:every")).toBe(true);
      expect(origins.map(({ origin }: { origin: string }) => origin)).toContain("native");
      const planned = await ask("state=planned");
      expect(names(planned.tools)).toContain("send_email");
      expect(names((await ask("")).tools)).not.toContain("send_email");
      expect(names((await ask("text=email")).tools)).not.toContain("send_email");
      const destructive = await ask("flag=destructive&origin=native");
      expect(names(destructive.tools)).toContain("delete_project");
      expect(names(destructive.tools)).not.toContain("read_file");
    },
  );
});

describe("GET /api/tools/:name/use", () => {
  it("says who has a tool, through what, and what the rules say", async () => {
    await using api = await testApi({
      agents: { main: ["all"], shut: ["all"] },
      rules: [{ permission: "http_request", action: "ask" }],
    });
    await api.request("POST", "/api/rules", {
      agent: "shut",
      permission: "http_request",
      action: "deny",
    });
    const { agents } = (await api.request("GET", "/api/tools/http_request/use")).body;
    expect(agents).toMatchObject([
      { agent: "main", grantedBy: ["toolbox all"], listed: true, decision: "ask" },
      { agent: "shut", grantedBy: ["toolbox all"], listed: false, decision: "deny" },
    ]);
  });

  it("counts how its calls went and who made them", async () => {
    await using api = await testApi({ agents: { main: ["all"] } });
    await api.call("think", { thought: "one" }, "main");
    await api.call("think", { thought: "two" }, "main");
    await api.call("think", {}, "main");
    await api.call("think", { thought: "three" });
    await api.hub.audit.flush();
    const { calls, callers } = (await api.request("GET", "/api/tools/think/use")).body;
    expect(calls).toMatchObject({ counted: 4, more: false, failed: 0, refused: 1 });
    expect(calls.outcomes).toEqual({ ok: 3, invalid_arguments: 1 });
    expect(calls.p95Ms).toBeGreaterThanOrEqual(calls.p50Ms);
    expect(callers).toMatchObject([
      { agent: "main", calls: 3, failed: 0 },
      { agent: "operator", calls: 1 },
    ]);
  });
});

describe("GET /api/tool-search", () => {
  it("finds what an agent would, with scores and reasons", async () => {
    await using api = await testApi({ agents: { main: [] } });
    const query = encodeURIComponent("read a file");
    const mine = (await api.request("GET", `/api/tool-search?query=${query}&agent=main`)).body;
    const [best] = mine.matches as readonly ToolMatch[];
    expect(best!.tool.name).toBe("read_file");
    expect(best!.why.words.map(({ word }) => word)).toContain("file");
    const all = (await api.request("GET", `/api/tool-search?query=${query}&state=active`)).body;
    expect(all.among).toBeGreaterThan(mine.among);
  });

  it("tells of names that nothing has", async () => {
    await using api = await testApi({ agents: { main: [] } });
    const { matches, notFound } = (await api.request("GET", "/api/tool-search?query=select:grep,nothing"))
      .body;
    expect(matches.map(({ tool }: ToolMatch) => tool.name)).toEqual(["grep"]);
    expect(notFound).toEqual(["nothing"]);
  });
});

describe("POST /api/call/stream", () => {
  it("tells of progress as it comes, then of the outcome, and of nothing to whoever only looks", async () => {
    await using api = await testApi({ servers: { every: EVERYTHING } });
    await waitUntil(
      "the server's tools are there",
      async () => api.hub.catalog.get("mcp_every_echo") !== undefined,
    );
    await api.app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = api.app.server.address() as AddressInfo;
    const name = api.hub.catalog.all().find(({ ownName }) => /longRunning|long-running/.test(ownName))!.name;
    const send = (token: string) =>
      fetch(`http://127.0.0.1:${port}/api/call/stream`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ name, arguments: { duration: 0.4, steps: 4 } }),
      });
    const lines = (await (await send(ADMIN_TOKEN)).text()).trim().split("\n");
    const said = lines.map((line) => JSON.parse(line) as CallLine);
    expect(said.filter((line) => "progress" in line).length).toBeGreaterThanOrEqual(2);
    expect(said.at(-1)).toMatchObject({ outcome: { outcome: "ok", tool: name } });

    const viewer = (await api.request("POST", "/api/tokens", { role: "viewer" })).body.token;
    expect((await send(viewer)).status).toBe(403);
  });
});
