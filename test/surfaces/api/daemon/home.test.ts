import { describe, expect, it } from "vitest";
import type { Home } from "../../../../src/surfaces/api/contract.ts";
import { testApi } from "../../../support/test-api.ts";
import { fixture } from "../../../support/upstream.ts";

describe("GET /api/home", () => {
  it("says how calls went, what waits, and how quick servers are", async () => {
    await using api = await testApi({
      agents: { worker: [] },
      rules: [{ permission: "think", action: "ask" }],
    });
    await api.request("POST", "/api/servers", { name: "files", wait: true, ...fixture("echoes") });
    await api.request("POST", "/api/servers", { name: "cloudy", url: "http://127.0.0.1:9/mcp" });
    await api.call("mcp_files_echo", { text: "hello" });
    await api.call("no_such_tool");
    await api.call("think", { thought: "so" }, "worker");
    const { body } = (await api.request("GET", "/api/home")) as { body: Home };
    const calls = body.minutes.reduce((sum, minute) => sum + minute.calls, 0);
    const refused = body.minutes.reduce((sum, minute) => sum + minute.refused, 0);
    expect([calls, refused]).toEqual([3, 1]);
    expect(body.latencies).toMatchObject([{ server: "files", calls: 1 }]);
    expect(body.waiting).toMatchObject({ approvals: 1, questions: 0 });
    expect(body.tokens).toMatchObject([{ agent: "worker", deferred: 0 }]);
    expect(body.tokens[0]!.listed).toBeGreaterThan(100);
  });

  it("counts what deferring keeps out of prompts", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `tool_${index}`);
    await using api = await testApi({
      toolboxes: { wide: ["mcp:many:*"] },
      agents: { worker: ["wide"] },
      settings: { deferred_loading: true },
    });
    const many = fixture("lists tools", JSON.stringify(names));
    await api.request("POST", "/api/servers", { name: "many", wait: true, ...many });
    const { body } = (await api.request("GET", "/api/home")) as { body: Home };
    expect(body.tokens[0]!.deferred).toBeGreaterThan(40 * 10);
    // As the page of the agent says.
    const { cost } = (await api.request("GET", "/api/agents/worker/tools")).body;
    expect(body.tokens[0]).toMatchObject({ listed: cost.listedTokens, deferred: cost.keptTokens });
    expect(cost.keptTokens).toBe(cost.wholeTokens - cost.listedTokens);
  });
});
