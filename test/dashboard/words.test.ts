import { describe, expect, it } from "vitest";
import { describeEntry } from "../../dashboard/src/pages/access/describe-entry.ts";
import { describeAction, hasDescription } from "../../dashboard/src/pages/audit/describe-action.ts";
import { findRuleByText } from "../../dashboard/src/pages/rules/rule-text.ts";
import { viewRule } from "../../src/call/rules/review/rule-view.ts";
import { testApi } from "../support/test-api.ts";
import { testHub } from "../support/test-hub.ts";

describe("the words of the dashboard", () => {
  it.each([
    ["*", "all built-in tools and your custom tools"],
    ["mcp:github:*", "all tools of github"],
    ["mcp:*:*", "all tools of all servers"],
    ["mcp:github:list_*", "matching tools of github"],
    ["mcp:github:merge", "one tool of github"],
    ["plugin:maps:*", "all tools of the plugin maps"],
    ["read_file", ""],
  ])("say of %s what it stands for", (entry, words) => {
    expect(describeEntry(entry)).toBe(words);
  });

  it("find the rule that the audit names, whatever it says and wherever it comes from", async () => {
    await using tested = await testHub({
      settings: { default_rules: true },
      rules: [
        { permission: "read_file", action: "deny", final: true },
        { permission: "write_file", action: "ask", pattern: { path: ["/srv/**", "/etc/*"] } },
        { permission: "net", action: "ask", pattern: "*.example.com", after: "untrusted" },
      ],
    });
    const compiled = tested.hub.watchdog.decider.rules.all;
    const views = compiled.map(({ rule }) =>
      viewRule({ ...tested.hub, loaded: () => tested.hub.loaded }, rule),
    );
    expect(compiled.length).toBeGreaterThan(3);
    for (const [at, { text }] of compiled.entries()) expect(findRuleByText(views, text)).toBe(views[at]);
  });

  it("say of every request that changes something what was done", async () => {
    await using api = await testApi();
    const { body } = await api.request("GET", "/api/openapi.json");
    const routes = Object.entries<object>(body.paths)
      .filter(([path]) => path.startsWith("/api/"))
      .flatMap(([path, methods]) =>
        Object.keys(methods)
          .filter((method) => !["get", "head"].includes(method))
          .map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
      );
    expect(routes.length).toBeGreaterThan(60);
    expect(routes.filter((route) => !hasDescription(route))).toEqual([]);
  });

  it.each([
    [
      "POST /api/servers/:name/disable",
      "servers/github/disable",
      "Disabled the server",
      "github",
      "/servers/github",
    ],
    ["PUT /api/secrets/:name", "secrets/API_KEY", "Set the secret", "API_KEY", "/vault/API_KEY"],
    ["DELETE /api/agents/:name", "agents/main", "Deleted the agent", "main", undefined],
    ["POST /api/agents", "agents", "Created an agent", "", undefined],
    [
      "POST /api/approvals/:id/approve",
      "approvals/qst_m9yyr5d6ghtcmfrwwga0/approve",
      "Approved the call",
      "",
      "/approvals/qst_m9yyr5d6ghtcmfrwwga0",
    ],
  ])("say of %s to %s what was done to what", (route, subject, title, name, to) => {
    const described = describeAction({ kind: "admin", subject, details: { route, status: 200 } });
    expect(described).toEqual({ title, name, ...(to && { to }), hasFailed: false });
    expect(describeAction({ kind: "admin", subject, details: { route, status: 403 } }).hasFailed).toBe(true);
  });
});
