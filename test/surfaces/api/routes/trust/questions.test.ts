import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestApi, testApi } from "../../../../support/test-api.ts";
import { trustStores } from "../../../../support/trust-stores.ts";

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

describe("/api/questions and the routes that approvals had before", () => {
  let now = 1_800_000_000_000;
  let home: TestApi;
  let count = 0;

  beforeAll(async () => {
    home = await testApi({
      clock: () => now,
      agents: { main: [], other: [] },
      rules: [{ permission: "think", action: "ask" }],
      settings: { approvals: { rejected_secs: 0 }, questions: { wait_ms: 0 } },
    });
  });
  afterAll(() => home[Symbol.asyncDispose]());

  async function askApproval(agent = "main") {
    now += 1;
    const thought = `number ${++count}`;
    const call = () => home.call("think", { thought }, agent);
    return { id: (await call()).error?.details?.approvalId as string, call };
  }

  async function askHuman(choices?: readonly string[]): Promise<string> {
    now += 1;
    const prompt = `question ${++count}?`;
    await home.call("prompt_human", { question: prompt, ...(choices && { choices }) }, "main");
    return (await home.hub.questions.list({ kind: "human", state: "pending" })).at(-1)!.id;
  }

  const listed = async (query: string) =>
    (await home.request("GET", `/api/questions?${query}`)).body.questions.map(
      ({ id }: { id: string }) => id,
    ) as string[];
  const answer = (id: string, body: object) => home.request("POST", `/api/questions/${id}/answer`, body);

  it("give the same facts of each approval, in lists and one by one", async () => {
    const states = {
      pending: (await askApproval()).id,
      answered: (await askApproval("other")).id,
      used: await askApproval(),
      dismissed: await askApproval(),
    };
    await askHuman();
    await answer(states.answered, { answer: "once" });
    await answer(states.used.id, { answer: "reject", reason: "no" });
    await states.used.call();
    await home.request("POST", `/api/questions/${states.dismissed.id}/dismiss`);
    const waiting = (await home.request("GET", "/api/approvals")).body.approvals;
    const all = (await home.request("GET", "/api/approvals?all=true")).body.approvals;
    const questions = async (query: string) =>
      (await home.request("GET", `/api/questions?kind=approval${query}`)).body.questions;
    expect(await questions("&state=pending")).toEqual(waiting);
    expect(waiting.map(({ id }: { id: string }) => id)).toEqual([states.pending]);
    expect(await questions("")).toEqual(all);
    expect(all.map(({ state }: { state: string }) => state)).toEqual([
      "pending",
      "answered",
      "used",
      "dismissed",
    ]);
    for (const approval of all) {
      expect((await home.request("GET", `/api/approvals/${approval.id}`)).body).toEqual({ approval });
      expect((await home.request("GET", `/api/questions/${approval.id}`)).body.question).toEqual(approval);
    }
  });

  it.each([
    [{}, { answer: "once" }],
    [{ for: "conversation" }, { answer: "conversation" }],
    [
      { for: "always", pattern: { "arg.thought": "x*" } },
      { answer: "always", pattern: { "arg.thought": "x*" } },
    ],
  ])("settle an approval in the same way: approve %j is answer %j", async (yes, said) => {
    const [old, next] = [await askApproval(), await askApproval()];
    const { approval } = (await home.request("POST", `/api/approvals/${old.id}/approve`, yes)).body;
    const { question } = (await answer(next.id, said)).body;
    const facts = ({ state, answer: given, answeredAt, settlement }: typeof approval) => ({
      ...{ state, given, answeredAt, by: settlement.by, from: settlement.from },
      rules: (settlement.ruleIds ?? []).map((id: string) => {
        const { permission, action, pattern, agentId } = home.hub.ruleBook.get(id)!;
        return { permission, action, pattern, agentId };
      }),
    });
    expect(facts(question)).toEqual(facts(approval));
    expect(question.answer).toBe(said.answer);
    for (const { id } of home.hub.ruleBook.list()) await home.hub.ruleBook.remove(id);
  });

  it("reject in the same way, and the agent is told the reason", async () => {
    const [old, next] = [await askApproval(), await askApproval()];
    await home.request("POST", `/api/approvals/${old.id}/reject`, { reason: "not now" });
    await answer(next.id, { answer: "reject", reason: "not now" });
    for (const { call } of [old, next]) expect((await call()).error?.message).toContain("not now");
  });

  it("say which of them is deprecated, in every answer and in OpenAPI", async () => {
    const { id } = await askApproval();
    const { token } = (await home.request("POST", "/api/tokens", { role: "admin", label: "t" })).body;
    const headers = { authorization: `Bearer ${token}` };
    const get = async (url: string) => (await home.app.inject({ url, headers })).headers;
    for (const path of ["", `/${id}`, "/qst_none"]) {
      const old = await get(`/api/approvals${path}`);
      expect([old.deprecation, old.link]).toEqual([
        "@1794960000",
        '</api/questions>; rel="successor-version"',
      ]);
      expect((await get(`/api/questions${path}`)).deprecation).toBeUndefined();
    }
    const { paths } = (await home.request("GET", "/api/openapi.json")).body;
    const deprecated = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations as Record<string, { deprecated?: boolean }>).flatMap(([method, operation]) =>
        operation.deprecated ? [`${method} ${path}`] : [],
      ),
    );
    expect(deprecated.sort()).toEqual([
      "get /api/approvals",
      "get /api/approvals/{id}",
      "post /api/approvals/{id}/approve",
      "post /api/approvals/{id}/reject",
    ]);
  });

  it("GET /api/questions selects by kind, state and agent", async () => {
    const [mine, others] = [(await askApproval()).id, (await askApproval("other")).id];
    const human = await askHuman();
    const pending = await listed("state=pending");
    expect(pending).toEqual(expect.arrayContaining([mine, others, human]));
    expect(await listed("state=pending&agent=other")).toEqual([others]);
    expect((await listed("state=pending&agent=main&kind=human")).at(-1)).toBe(human);
    expect(await listed("kind=secret")).toEqual([]);
    expect((await home.request("GET", "/api/questions?agent=nobody")).status).toBe(404);
    expect((await home.request("GET", "/api/questions?kind=odd")).status).toBe(400);
    expect((await home.request("GET", "/api/questions?state=open")).status).toBe(400);
  });

  it("every kind has the same states, told or not, in time or too late", async () => {
    const approval = await askApproval();
    const ids = [approval.id, await askHuman()];
    for (const id of ids) await home.request("POST", `/api/questions/${id}/dismiss`);
    const stateOf = async (id: string) =>
      (await home.request("GET", `/api/questions/${id}`)).body.question.state;
    await approval.call();
    // The record only says that the agent was told.
    expect((await home.hub.questions.get(approval.id))?.state).toBe("used");
    const late = [(await askApproval()).id, await askHuman()];
    now += 24 * 60 * 60_000;
    for (const id of ids) expect(await stateOf(id)).toBe("dismissed");
    for (const id of late) {
      expect(await stateOf(id)).toBe("expired");
      expect(await listed("state=expired")).toContain(id);
      expect(await listed("state=settled")).toContain(id);
      expect(await listed("state=pending")).not.toContain(id);
      const refused = await answer(id, { answer: "once" });
      expect([refused.status, refused.body.error.message]).toEqual([
        400,
        expect.stringContaining(`${id} is expired`),
      ]);
    }
  });

  it("a reason and a pattern go with the answers that they belong to, and with no other question", async () => {
    const { id } = await askApproval();
    const human = await askHuman(["always", "reject"]);
    for (const body of [
      { answer: "once", reason: "why" },
      { answer: "once", pattern: "x" },
      { answer: "reject", pattern: "x" },
    ])
      expect([body, (await answer(id, body)).status]).toEqual([body, 400]);
    for (const body of [
      { answer: "reject", reason: "why" },
      { answer: "always", pattern: "x" },
    ])
      expect([body, (await answer(human, body)).status]).toEqual([body, 400]);
    expect((await answer(human, { answer: "always" })).body.question.settlement.ruleIds).toBeUndefined();
  });

  it("one call of a batch is no question of its own", async () => {
    const { agentId, agentName } = home.caller("other");
    const asking = { kind: "approval" as const, agentId, agentName, prompt: "May it?", details: {} };
    await home.hub.questions.askTogether(["one", "two"].map((digest) => ({ ...asking, digest })));
    const member = (await trustStores(home.hub.store).questions.open("one", now))!;
    expect(member.batchId).not.toBeNull();
    expect((await home.request("GET", `/api/questions/${member.id}`)).status).toBe(404);
    expect((await answer(member.id, { answer: "once" })).status).toBe(404);
    expect((await home.request("POST", `/api/questions/${member.id}/dismiss`)).status).toBe(404);
    expect((await answer(member.batchId!, { answer: "once" })).status).toBe(200);
    expect((await trustStores(home.hub.store).questions.get(member.id))?.answer).toBe("once");
  });
});
