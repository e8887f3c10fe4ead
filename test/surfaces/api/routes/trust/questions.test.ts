import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestApi, testApi } from "../../../../support/test-api.ts";

let api: TestApi;

beforeAll(async () => {
  api = await testApi({
    agents: { main: [] },
    rules: [
      { permission: "think", action: "ask" },
      { permission: "run_shell", action: "ask" },
    ],
  });
  await api.hub.identity.updateAgent("main", { grants: ["run_shell"] });
});
afterAll(() => api[Symbol.asyncDispose]());

async function asked(name: string, args: object): Promise<string> {
  const { error, outcome } = await api.call(name, args, "main");
  expect(outcome).toBe("needs_approval");
  return error?.details?.approvalId as string;
}

const review = async (id: string) => (await api.request("GET", `/api/questions/${id}`)).body;

describe("GET /api/questions/:id", () => {
  it("shows the rule that asks, where it comes from, and that there was no such call before", async () => {
    const { question, calls } = await review(await asked("think", { thought: "first" }));
    expect(question).toMatchObject({ kind: "approval", agent: "main", state: "pending" });
    expect(calls).toEqual([
      expect.objectContaining({
        tool: "think",
        rule: "user: think → ask",
        askedBy: expect.objectContaining({
          from: "user",
          permission: "think",
          where: expect.stringContaining("config.json"),
        }),
        last: null,
        destructive: false,
        rules: [
          { permission: "think", action: "allow" },
          { permission: "think", action: "allow", pattern: { "arg.thought": "first" } },
        ],
      }),
    ]);
  });

  it("compares with the last such call that ran, and not with one that nobody approved", async () => {
    const id = await asked("think", { thought: "ran" });
    await api.request("POST", `/api/approvals/${id}/approve`, {});
    expect((await api.call("think", { thought: "ran" }, "main")).outcome).toBe("ok");
    await asked("think", { thought: "never approved" });
    const next = await asked("think", { thought: "another" });
    await api.hub.audit.flush();
    const [{ last }] = (await review(next)).calls;
    expect(last).toMatchObject({ outcome: "ok", cut: false, approvedBy: expect.any(String) });
    expect(last.changes).toEqual([
      { kind: "same", text: "{" },
      { kind: "removed", text: '  "thought": "ran"' },
      { kind: "added", text: '  "thought": "another"' },
      { kind: "same", text: "}" },
    ]);
  });

  it("proposes narrower rules for always, and those only that would let this call run", async () => {
    const [{ rules }] = (await review(await asked("run_shell", { command: "git push origin main" }))).calls;
    expect(rules).toEqual([
      { permission: "run_shell", action: "allow" },
      { permission: "run_shell", action: "allow", pattern: { command: "git push *" } },
      { permission: "run_shell", action: "allow", pattern: { command: "git push origin main" } },
    ]);
  });

  it("names the stored rule that asks, and says so when it is gone", async () => {
    const stored = await api.request("POST", "/api/rules", {
      permission: "notify",
      action: "ask",
      agent: "main",
    });
    const id = await asked("notify", { title: "hm" });
    expect((await review(id)).calls[0].askedBy).toMatchObject({ id: stored.body.rule.id, agent: "main" });
    await api.request("DELETE", `/api/rules/${stored.body.rule.id}`);
    expect((await review(id)).calls[0]).toMatchObject({
      askedBy: null,
      rule: expect.stringContaining("notify"),
    });
  });

  it("shows other questions, too, and none that there is not", async () => {
    const refused = await api.call(
      "request_tool_access",
      { tools: ["http_request"], reason: "to write" },
      "main",
    );
    const { questions } = (await api.request("GET", "/api/questions?state=pending")).body;
    const access = questions.find(({ kind }: { kind: string }) => kind === "access");
    expect(refused.outcome).toBe("needs_input");
    expect(await review(access.id)).toMatchObject({ question: { kind: "access" }, calls: [] });
    expect((await api.request("GET", "/api/questions/qst_none")).status).toBe(404);
  });
});
