import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Role } from "../../../src/contract/caller.ts";
import { type TestApi, testApi } from "../../support/test-api.ts";

const ADMINISTERS = [
  ...["set_secret", "delete_secret", "remove_mcp_server", "update_platform_config"],
  ...["update_agent", "delete_agent", "delete_toolbox"],
];

let api: TestApi;
const tokens: Partial<Record<Role, string>> = {};

beforeAll(async () => {
  api = await testApi({
    toolboxes: { administers: ADMINISTERS, lent: ["run_shell"] },
    agents: { main: ["administers"], other: ["lent"] },
    rules: [{ permission: "think", action: "ask" }],
    settings: { approvals: { rejected_secs: 0 }, questions: { wait_ms: 0 } },
  });
  for (const role of ["viewer", "operator", "admin"] as const)
    tokens[role] = (await api.request("POST", "/api/tokens", { role, label: role })).body.token;
  await api.request("POST", "/api/servers", { name: "kept", command: "no-such-program", enabled: false });
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  await api.hub.vault.put("PROD_KEY", "the-value-of-a-person");
  for (const { id } of await api.hub.questions.list({ state: "pending" }))
    await api.hub.questions.dismiss(id);
});

async function as(role: Role, url: string, payload: object) {
  const headers = { authorization: `Bearer ${tokens[role]}` };
  const response = await api.app.inject({ method: "POST", url, headers, payload });
  return { status: response.statusCode, body: response.json() };
}

async function pending() {
  const { questions } = (await api.request("GET", "/api/questions?state=pending")).body;
  expect(questions).toHaveLength(1);
  return questions[0] as { id: string; wants: Role };
}

describe("what only an admin may do", () => {
  it.each([
    ["set_secret", { name: "PROD_KEY", value: "the-value-of-main" }],
    ["delete_secret", { name: "PROD_KEY" }],
    ["remove_mcp_server", { name: "kept" }],
    ["update_platform_config", { changes: { "shell.timeout_ms": 60_000 }, reason: "slow" }],
    ["update_agent", { name: "other", grants: ["run_shell"] }],
    ["delete_agent", { name: "other" }],
    ["delete_toolbox", { name: "lent" }],
  ])("is agreed to by admins alone: %s", async (tool, args) => {
    expect((await api.call(tool, args, "main")).outcome).toBe("needs_input");
    const { id, wants } = await pending();
    expect(wants).toBe("admin");
    for (const role of ["viewer", "operator"] as const) {
      expect((await as(role, `/api/approvals/${id}/approve`, {})).status).toBe(403);
      expect((await as(role, `/api/questions/${id}/answer`, { answer: "once" })).status).toBe(403);
    }
    expect((await as("viewer", `/api/questions/${id}/answer`, { answer: "reject" })).status).toBe(403);
    expect((await as("viewer", `/api/questions/${id}/dismiss`, {})).status).toBe(403);
    expect((await api.call(tool, args, "main")).outcome).toBe("needs_input");
    expect((await as("viewer", `/api/approvals/${id}/reject`, {})).status).toBe(403);
    expect((await as("operator", `/api/approvals/${id}/reject`, { reason: "no" })).status).toBe(200);
    expect((await api.call(tool, args, "main")).error?.message).toContain("A person rejected this: no");
  });

  it("is done once an admin agreed", async () => {
    const args = { name: "PROD_KEY", value: "the-value-of-main" };
    await api.call("set_secret", args, "main");
    expect((await as("admin", `/api/approvals/${(await pending()).id}/approve`, {})).status).toBe(200);
    expect((await api.call("set_secret", args, "main")).outcome).toBe("ok");
  });

  it("is not done by an operator who calls as an agent and answers for themselves", async () => {
    const call = { agent: "main", name: "set_secret", arguments: { name: "PROD_KEY", value: "their-value" } };
    const asked = await as("operator", "/api/call", call);
    expect(asked.body.outcome).toBe("needs_input");
    const answered = await as("operator", `/api/approvals/${(await pending()).id}/approve`, {});
    expect([answered.status, answered.body.error.code]).toEqual([403, "FORBIDDEN"]);
    expect((await as("operator", "/api/call", call)).body.outcome).toBe("needs_input");
  });
});

it("an operator refuses a tool that an agent asks for, and only an admin gives it", async () => {
  const ask = (tool: string) => api.call("request_tool_access", { tools: [tool], reason: "to work" }, "main");
  await ask("list_secrets");
  const { id, wants } = await pending();
  expect(wants).toBe("admin");
  expect((await as("operator", `/api/questions/${id}/answer`, { answer: "grant" })).status).toBe(403);
  expect(api.hub.identity.agent("main").grants).toEqual([]);
  expect((await as("operator", `/api/questions/${id}/answer`, { answer: "refuse" })).status).toBe(200);
  await ask("http_request");
  const other = await pending();
  expect((await as("admin", `/api/questions/${other.id}/answer`, { answer: "grant" })).status).toBe(200);
  expect(api.hub.identity.agent("main").grants).toEqual(["http_request"]);
});

it("an operator gives a secret that is new, and replaces none", async () => {
  const ask = (name: string) => api.call("prompt_secret", { name, reason: "to work", replace: true }, "main");
  await ask("NEW_KEY");
  const { id, wants } = await pending();
  expect(wants).toBe("operator");
  expect((await as("operator", `/api/questions/${id}/answer`, { answer: "a-new-value" })).status).toBe(200);
  await ask("PROD_KEY");
  const other = await pending();
  expect(other.wants).toBe("admin");
  expect((await as("operator", `/api/questions/${other.id}/answer`, { answer: "theirs-now" })).status).toBe(
    403,
  );
  expect((await as("admin", `/api/questions/${other.id}/answer`, { answer: "another-one" })).status).toBe(
    200,
  );
});

it("an operator approves a call once and for the conversation, and only an admin always", async () => {
  for (const span of ["once", "conversation"]) {
    await api.hub.callTool({
      name: "think",
      arguments: { thought: span },
      caller: { ...api.caller("main"), conversation: span },
      via: "library",
    });
    const { id, wants } = await pending();
    expect(wants).toBe("operator");
    expect((await as("operator", `/api/approvals/${id}/approve`, { for: "always" })).status).toBe(403);
    expect((await as("operator", `/api/approvals/${id}/approve`, { for: span })).status).toBe(200);
  }
});

describe("POST /api/questions/:id/answer", () => {
  it("takes an operator's no with its reason, and an admin's yes, to what only an admin may do", async () => {
    const args = { name: "PROD_KEY", value: "the-value-of-main" };
    const say = async (role: Role, body: object) =>
      (await as(role, `/api/questions/${(await pending()).id}/answer`, body)).status;
    await api.call("set_secret", args, "main");
    expect(await say("operator", { answer: "reject", reason: "no" })).toBe(200);
    expect((await api.call("set_secret", args, "main")).error?.message).toContain(
      "A person rejected this: no",
    );
    await api.call("set_secret", args, "main");
    expect(await say("admin", { answer: "once" })).toBe(200);
    expect((await api.call("set_secret", args, "main")).outcome).toBe("ok");
  });

  it("lets an operator approve once and for the conversation, and only an admin always", async () => {
    for (const [role, span] of [
      ["operator", "once"],
      ["operator", "conversation"],
      ["admin", "always"],
    ] as const) {
      await api.hub.callTool({
        name: "think",
        arguments: { thought: `asked anew: ${span}` },
        caller: { ...api.caller("main"), conversation: `anew ${span}` },
        via: "library",
      });
      const url = `/api/questions/${(await pending()).id}/answer`;
      for (const pattern of [undefined, "x*"])
        expect((await as("operator", url, { answer: "always", pattern })).status).toBe(403);
      expect((await as("viewer", url, { answer: span })).status).toBe(403);
      const answered = await as(role, url, { answer: span });
      expect([answered.status, answered.body.question.settlement.ruleIds?.length ?? 0]).toEqual([
        200,
        span === "once" ? 0 : 1,
      ]);
    }
  });
});
