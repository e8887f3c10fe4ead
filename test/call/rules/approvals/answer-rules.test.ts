import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AnswerExtras } from "../../../../src/call/questions/answers.ts";
import { createAnswerRules } from "../../../../src/call/rules/approvals/answer-rules.ts";
import { type TestHub, testHub } from "../../../support/test-hub.ts";

let test: TestHub;
const EVE = { by: "eve", from: "cli", role: "admin" } as const;

beforeAll(async () => {
  test = await testHub({
    agents: { one: [], two: [] },
    rules: [
      { permission: "think", action: "ask" },
      { permission: "get_current_time", action: "ask" },
    ],
  });
});
afterAll(() => test[Symbol.asyncDispose]());

const think = (thought: string, agent = "one", conversation = "test") =>
  test.hub.callTool({
    name: "think",
    arguments: { thought },
    caller: { ...test.caller(agent), conversation },
    via: "library",
  });

async function answerQuestion(answer: string, thought: string, more: AnswerExtras = {}) {
  const { error } = await think(thought);
  return test.hub.questions.answer(error?.details?.approvalId as string, answer, EVE, more);
}

beforeEach(removeRules);

async function removeRules() {
  for (const { id } of test.hub.ruleBook.list()) await test.hub.ruleBook.remove(id);
}

describe("an answer", () => {
  it("for the conversation allows the tool there, and nowhere else, until its rule is gone", async () => {
    const { settlement } = await answerQuestion("conversation", "a");
    expect((await think("a")).outcome).toBe("ok");
    expect((await think("something else")).outcome).toBe("ok");
    expect((await think("a", "one", "another")).outcome).toBe("needs_approval");
    expect((await think("a", "two")).outcome).toBe("needs_approval");
    expect(test.hub.ruleBook.get(settlement!.ruleIds![0]!)).toMatchObject({
      permission: "think",
      action: "allow",
      conversation: "test",
      createdBy: "eve",
    });
    await removeRules();
    expect((await think("a")).outcome).toBe("needs_approval");
  });

  it("for always allows the tool to this agent everywhere", async () => {
    await answerQuestion("always", "b");
    expect((await think("c", "one", "another")).outcome).toBe("ok");
    expect((await think("c", "two")).outcome).toBe("needs_approval");
  });

  it("for always with a pattern allows what fits, and still lets the call run that asked", async () => {
    await answerQuestion("always", "d", { pattern: { "arg.thought": "safe *" } });
    expect((await think("d")).outcome).toBe("ok");
    expect((await think("d")).outcome).toBe("needs_approval");
    expect((await think("safe thing")).outcome).toBe("ok");
  });

  it("with a pattern that is none writes no rule and leaves the question open", async () => {
    await expect(answerQuestion("always", "e", { pattern: "x".repeat(600) })).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
    expect(test.hub.ruleBook.list()).toEqual([]);
    expect((await think("e")).outcome).toBe("needs_approval");
  });

  it("that comes too late removes its rule", async () => {
    const { error } = await think("f");
    const id = error?.details?.approvalId as string;
    const both = await Promise.allSettled(
      ["always", "always"].map((answer) => test.hub.questions.answer(id, answer, EVE)),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(test.hub.ruleBook.list()).toHaveLength(1);
  });
});

it.each(["resource:*", "*", "mcp:*", "shell", "destructive", ""])(
  "an answer writes no rule for %j, which would be about more than one tool",
  async (tool) => {
    const added: unknown[] = [];
    const rules = createAnswerRules({
      add: async (rule) => added.push(rule) as never,
      remove: async () => undefined as never,
      has: () => true,
    });
    const question = { id: "qst_1", agentId: "agt_one", details: { calls: [{ tool: "think" }, { tool }] } };
    await expect(rules.write(question as never, "always", EVE, {})).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
    expect(added).toEqual([]);
  },
);

it("an approval for the conversation allows nothing that a rule denies", async () => {
  await answerQuestion("conversation", "fine");
  const { id } = await test.hub.ruleBook.add({
    permission: "think",
    pattern: { "arg.thought": "rm *" },
    action: "deny",
    createdBy: "eve",
  });
  expect((await think("anything")).outcome).toBe("ok");
  expect((await think("rm -rf /")).outcome).toBe("denied");
  await test.hub.ruleBook.replace(id, { permission: "think", action: "deny" });
  expect((await think("anything")).outcome).toBe("denied");
});

it("an agent that works for a headless one is denied what would ask", async () => {
  await test.hub.identity.createAgent("robot", { headless: true });
  await test.hub.identity.createAgent("helper", { parent: "robot" });
  expect(await think("x", "helper")).toMatchObject({
    outcome: "denied",
    error: { message: expect.stringContaining("headless") },
  });
  await test.hub.identity.updateAgent("robot", { headless: false });
  expect((await think("x", "helper")).outcome).toBe("needs_approval");
});
