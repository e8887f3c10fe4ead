import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Caller } from "../../../src/contract/caller.ts";
import type { Answering, Inquiry, Rounds, Tool, ToolCall, ToolOutcome } from "../../../src/contract/tool.ts";
import type { Rule } from "../../../src/machine/config/settings.ts";
import { openExecutor } from "../../support/executor.ts";
import { ruleSettings } from "../../support/rule-deps.ts";
import { testCaller, testTool } from "../../support/tools.ts";
import { waitUntil } from "../../support/wait-until.ts";

const ASK: readonly Rule[] = [{ permission: "*", action: "ask", from: "user" }];
const EVE = { by: "eve", from: "cli", role: "admin" } as const;
const capabilities = { elicitation: { form: {} } };
const pay = (change: Partial<Tool> = {}) => testTool({ name: "pay", ...change });
const refund = testTool({ name: "refund" });

let hub: Awaited<ReturnType<typeof openExecutor>>;
let now = 1_000_000;
/** Every test has its own agent, so that it never meets another test's questions. */
let agents = 0;
/** Callers that a person changed since their call began. */
const changed = new Map<string, Caller | undefined>();

beforeAll(async () => {
  hub = await openExecutor({
    tools: [pay(), refund],
    rules: ASK,
    clock: () => now,
    waitMs: 60_000,
    current: (caller) => (changed.has(caller.agentId) ? changed.get(caller.agentId) : caller),
  });
});
afterAll(() => hub[Symbol.asyncDispose]());

function newCaller(change: Partial<Caller> = {}): Caller {
  agents++;
  const who = { agentId: `agt_${agents}`, agentName: `agent${agents}` };
  return testCaller({ ...who, grants: ["pay", "refund"], ...change });
}

const approvalId = ({ error }: ToolOutcome) => error?.details?.approvalId as string;
const call = (caller: Caller, args: object = {}, more: Partial<ToolCall> = {}) =>
  hub.call("pay", args, more, caller);

async function pendingOf({ agentId }: Caller) {
  return (await hub.questions.list({ state: "pending" })).filter((question) => question.agentId === agentId);
}

describe("an approval", () => {
  const changes: Record<string, (caller: Caller) => Promise<ToolOutcome>> = {
    "another agent": () => call(newCaller(), { amount: 1 }),
    "another tool": (caller) => hub.call("refund", { amount: 1 }, {}, caller),
    "other arguments": (caller) => call(caller, { amount: 2 }),
    "another description": (caller) => withTool(pay({ description: "Pays twice." }), caller),
    "another schema": (caller) => withTool(pay({ inputSchema: { type: "object", properties: {} } }), caller),
    "other annotations": (caller) =>
      withTool(pay({ published: { annotations: { readOnlyHint: true } } }), caller),
    "another origin": (caller) => withTool(pay({ origin: "mcp:bank" }), caller),
    "another rule": async (caller) => {
      hub.watchdog.apply(ruleSettings([{ permission: "pay", action: "ask", from: "user" }]));
      const outcome = await call(caller, { amount: 1 });
      hub.watchdog.apply(ruleSettings(ASK));
      return outcome;
    },
    "a later time": (caller) => {
      now += 60_001;
      return call(caller, { amount: 1 });
    },
  };

  async function withTool(tool: Tool, caller: Caller): Promise<ToolOutcome> {
    hub.source.replace([tool, refund]);
    const outcome = await call(caller, { amount: 1 });
    hub.source.replace([pay(), refund]);
    return outcome;
  }

  it("is in the audit of the call that it let run, with who gave it", async () => {
    const caller = newCaller();
    const id = approvalId(await call(caller, { amount: 7 }));
    await hub.questions.answer(id, "once", EVE);
    expect((await call(caller, { amount: 7 })).outcome).toBe("ok");
    const records = (await hub.records()).filter(({ agentId }) => agentId === caller.agentId);
    expect(records.map(({ outcome, approvalId: asked, approvedBy }) => [outcome, asked, approvedBy])).toEqual(
      expect.arrayContaining([
        ["needs_approval", id, null],
        ["ok", id, "eve"],
      ]),
    );
  });

  it.each(Object.keys(changes))("does not count for %s", async (what) => {
    const caller = newCaller();
    const id = approvalId(await call(caller, { amount: 1 }));
    await hub.questions.answer(id, "once", EVE);
    const changed = await changes[what]!(caller);
    expect(changed.outcome).toBe("needs_approval");
    expect(approvalId(changed)).not.toBe(id);
    if (what !== "a later time") expect((await call(caller, { amount: 1 })).outcome).toBe("ok");
  });

  it("counts once: the same call again asks again", async () => {
    const caller = newCaller();
    await hub.questions.answer(approvalId(await call(caller)), "once", EVE);
    expect((await call(caller)).outcome).toBe("ok");
    expect((await call(caller)).outcome).toBe("needs_approval");
  });

  it("for the conversation writes a rule, and counts in no other conversation", async () => {
    const caller = newCaller({ conversation: "one" });
    const id = approvalId(await call(caller));
    await hub.questions.answer(id, "conversation", EVE);
    expect(hub.written.at(-1)).toMatchObject({ answer: "conversation", tool: "pay" });
    expect((await hub.questions.get(id))?.settlement).toMatchObject({
      by: "eve",
      from: "cli",
      ruleIds: [hub.written.at(-1)!.id],
    });
    expect((await call({ ...caller, conversation: "two" })).outcome).toBe("needs_approval");
  });

  it("that wrote a rule is void once a person removed the rule", async () => {
    const caller = newCaller();
    await hub.questions.answer(approvalId(await call(caller)), "always", EVE);
    hub.written.length = 0;
    expect((await call(caller)).outcome).toBe("needs_approval");
  });
});

describe("a person", () => {
  it("sees the whole call, with what would be invisible or turn it around written out", async () => {
    const caller = newCaller();
    await call(caller, { a: "x".repeat(20_000), command: "ls\u202e \u200b\u{e0041} rm -rf /" });
    const [question] = await pendingOf(caller);
    expect(question!.details.arguments).toContain(
      String.raw`"command":"ls\u202e \u200b\udb40\udc41 rm -rf /"`,
    );
  });

  it("is not asked about what is too long to be shown, alone or in a batch", async () => {
    const caller = newCaller();
    const args = { a: "x".repeat(70_000), command: "rm -rf /" };
    expect(await call(caller, args)).toMatchObject({
      outcome: "denied",
      error: { message: expect.stringContaining("too long to be shown") },
    });
    const calls = [args, args].map((each) => ({
      name: "pay",
      arguments: each,
      caller,
      via: "library" as const,
    }));
    expect((await hub.batchOf(calls)).map(({ outcome }) => outcome)).toEqual(["denied", "denied"]);
    expect(await pendingOf(caller)).toEqual([]);
  });

  it("at a client is shown no form that would hide a part of the call, and others are asked", async () => {
    const caller = newCaller({ interactive: true });
    const args = { a: "x".repeat(10_000) };
    const byRound = await call(caller, args, { rounds: { capabilities } });
    expect(byRound).toMatchObject({ outcome: "needs_approval" });
    expect(byRound.asked).toBeUndefined();
    const forms: unknown[] = [];
    const answering = { capabilities, answer: async (inquiry: Inquiry) => ({ forms: forms.push(inquiry) }) };
    expect((await call(caller, args, { answering })).outcome).toBe("needs_approval");
    expect(forms).toEqual([]);
    await hub.questions.answer(approvalId(byRound), "once", EVE);
    expect((await call(caller, args, { answering })).outcome).toBe("ok");
  });
});

describe("a rejection", () => {
  it("reaches the caller with its reason, and stands for a while without asking again", async () => {
    const caller = newCaller();
    const id = approvalId(await call(caller));
    await hub.questions.answer(id, "reject", EVE, { reason: "use the test account" });
    for (let again = 0; again < 3; again++) {
      expect(await call(caller)).toMatchObject({
        outcome: "denied",
        error: {
          message: "a person rejected this call of pay: use the test account",
          details: { reason: "use the test account" },
        },
      });
    }
    expect(await pendingOf(caller)).toEqual([]);
    now += 10_001;
    expect((await call(caller)).outcome).toBe("needs_approval");
  });

  it("is given by dismissing, too", async () => {
    const caller = newCaller();
    await hub.questions.dismiss(approvalId(await call(caller)), EVE);
    expect((await call(caller)).outcome).toBe("denied");
    expect((await call(caller)).outcome).toBe("denied");
  });

  it("is what a headless agent gets, and nobody is asked", async () => {
    const caller = testCaller({ agentId: "agt_headless", grants: ["pay"] });
    expect(await call(caller)).toMatchObject({
      outcome: "denied",
      error: { message: expect.stringContaining("headless") },
    });
    expect(await pendingOf(caller)).toEqual([]);
  });
});

describe("a call that waits", () => {
  it("tells its client so, and goes on when a person says yes", async () => {
    const caller = newCaller();
    const told: string[] = [];
    const outcome = call(caller, {}, { onProgress: ({ message }) => told.push(message ?? "") });
    await waitUntil("progress was told", () => told.length > 1);
    const [question] = await pendingOf(caller);
    expect(told[0]).toBe(`waiting for a person to approve pay (${question!.id})`);
    await hub.questions.answer(question!.id, "once", EVE);
    expect((await outcome).outcome).toBe("ok");
  });

  const meanwhile: Record<string, [change: (caller: Caller) => void, outcome: string]> = {
    "a rule denies it": [() => rule("pay", "deny"), "denied"],
    "another rule asks": [() => rule("pay", "ask"), "denied"],
    "its tool became another": [() => hub.source.replace([pay({ description: "Pays twice." })]), "denied"],
    "its tool is gone": [() => hub.source.replace([refund]), "unknown_tool"],
    "its tool is disabled": [
      () => hub.source.replace([pay({ status: () => ({ kind: "disabled", reason: "by eve" }) })]),
      "disabled",
    ],
    "its agent lost the tool": [
      (caller) => changed.set(caller.agentId, { ...caller, grants: [] }),
      "not_granted",
    ],
    "its agent is gone": [({ agentId }) => changed.set(agentId, undefined), "denied"],
    "a rule allows it": [() => rule("pay", "allow"), "ok"],
    "its tool was announced again": [() => hub.source.replace([pay(), refund]), "ok"],
  };
  const rule = (permission: string, action: Rule["action"]) =>
    hub.watchdog.apply(ruleSettings([{ permission, action, from: "user" }]));

  it.each(Object.keys(meanwhile))("is decided once more after the yes: %s", async (what) => {
    const caller = newCaller();
    const told: string[] = [];
    const outcome = call(caller, {}, { onProgress: ({ message }) => told.push(message ?? "") });
    await waitUntil("progress was told", () => told.length > 0);
    const [question] = await pendingOf(caller);
    const [change, expected] = meanwhile[what]!;
    change(caller);
    await hub.questions.answer(question!.id, "once", EVE);
    const ended = await outcome;
    hub.watchdog.apply(ruleSettings(ASK));
    hub.source.replace([pay(), refund]);
    expect(ended.outcome).toBe(expected);
  });

  it("ends at once when it is cancelled, and its question stays", async () => {
    const caller = newCaller();
    const cancel = new AbortController();
    const outcome = call(caller, {}, { onProgress: () => cancel.abort(), signal: cancel.signal });
    expect((await outcome).outcome).toBe("cancelled");
    expect(await pendingOf(caller)).toHaveLength(1);
  });

  it("ends at once when the daemon stops", async () => {
    await using stopping = await openExecutor({ tools: [pay()], rules: ASK, waitMs: 60_000 });
    const outcome = stopping.call("pay", {}, { onProgress: () => stopping.questions.close() });
    expect((await outcome).outcome).toBe("needs_approval");
    expect((await stopping.call("pay", {}, { onProgress: () => {} })).outcome).toBe("needs_approval");
  });
});

describe("a batch", () => {
  const calls = (caller: Caller, names: readonly string[]): ToolCall[] =>
    names.map((name) => ({ name, arguments: {}, caller, via: "library" }));

  it("asks once for all its calls, and one answer lets each of them run once", async () => {
    const caller = newCaller();
    const names = ["pay", "refund", "pay"];
    const asked = await hub.batchOf(calls(caller, names));
    expect(asked.map(({ outcome }) => outcome)).toEqual(names.map(() => "needs_approval"));
    const [question, ...more] = await pendingOf(caller);
    expect(more).toEqual([]);
    expect(question).toMatchObject({
      prompt: `May ${caller.agentName} make these 3 calls?`,
      details: { calls: [{ tool: "pay" }, { tool: "refund" }, { tool: "pay" }] },
    });
    expect(new Set(asked.map(approvalId))).toEqual(new Set([question!.id]));

    await hub.batchOf(calls(caller, names));
    expect(await pendingOf(caller)).toHaveLength(1);
    await hub.questions.answer(question!.id, "once", EVE);
    const ran = await hub.batchOf(calls(caller, names));
    expect(ran.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok"]);
    expect((await call(caller)).outcome).toBe("needs_approval");
  });

  it("is rejected as one, with one reason", async () => {
    const caller = newCaller();
    const [first] = await hub.batchOf(calls(caller, ["pay", "refund"]));
    await hub.questions.answer(approvalId(first!), "reject", EVE, { reason: "not today" });
    const again = await hub.batchOf(calls(caller, ["pay", "refund"]));
    expect(again.map(({ error }) => error?.details)).toEqual([
      { reason: "not today" },
      { reason: "not today" },
    ]);
    expect(await pendingOf(caller)).toEqual([]);
  });

  it("asks in several questions where it is longer than anybody reads", async () => {
    const caller = newCaller();
    await hub.batchOf(
      Array.from({ length: 21 }, (_, amount) => ({
        name: "pay",
        arguments: { amount },
        caller,
        via: "library",
      })),
    );
    const counts = (await pendingOf(caller)).map(({ details }) => (details.calls as unknown[]).length);
    expect(counts.sort()).toEqual([10, 11]);
  });
});

describe("the person at a client of 2026-07-28", () => {
  const accepted = (content: object) => ({ toolkeep_approval: { action: "accept", content } });

  async function asked(caller: Caller): Promise<{ outcome: ToolOutcome; next: Rounds }> {
    const outcome = await call(caller, {}, { rounds: { capabilities } });
    return { outcome, next: { capabilities, approval: outcome.asked?.approval ?? "" } };
  }

  it("is asked by the answer to the call, and a yes lets the next round run, once", async () => {
    const caller = newCaller({ interactive: true });
    const { outcome, next } = await asked(caller);
    expect(outcome).toMatchObject({ outcome: "needs_approval", asked: { inquiries: expect.any(Object) } });
    const { toolkeep_approval } = outcome.asked!.inquiries;
    expect(toolkeep_approval).toMatchObject({
      method: "elicitation/create",
      params: { requestedSchema: { properties: { decision: { enum: ["once", "reject"] } } } },
    });
    const rounds = { ...next, answers: accepted({ decision: "once" }) };
    expect((await call(caller, {}, { rounds })).outcome).toBe("ok");
    expect((await hub.questions.get(approvalId(outcome)))?.settlement).toMatchObject({ from: "client" });
    expect(await call(caller, {}, { rounds })).toMatchObject({
      outcome: "denied",
      error: { message: expect.stringContaining("already been used") },
    });
  });

  it("rejects with a reason", async () => {
    const caller = newCaller({ interactive: true });
    const { next } = await asked(caller);
    const rounds = { ...next, answers: accepted({ decision: "reject", reason: "too much" }) };
    expect(await call(caller, {}, { rounds })).toMatchObject({
      outcome: "denied",
      error: { details: { reason: "too much" } },
    });
  });

  it("approves no other call than was asked about", async () => {
    const caller = newCaller({ interactive: true });
    const { next } = await asked(caller);
    const rounds = { ...next, answers: accepted({ decision: "once" }) };
    expect(await call(caller, { amount: 1_000 }, { rounds })).toMatchObject({
      outcome: "denied",
      error: { message: expect.stringContaining("another call") },
    });
    expect(await pendingOf(caller)).toHaveLength(1);
  });

  it("is too late when the question has expired", async () => {
    const caller = newCaller({ interactive: true });
    const { next } = await asked(caller);
    now += 60_001;
    const rounds = { ...next, answers: accepted({ decision: "once" }) };
    expect((await call(caller, {}, { rounds })).outcome).toBe("denied");
  });

  it.each([
    ["always", "needs_approval"],
    ["conversation", "needs_approval"],
  ])("may not answer %s", async (decision, outcome) => {
    const caller = newCaller({ interactive: true });
    const { next } = await asked(caller);
    const rounds = { ...next, answers: accepted({ decision }) };
    expect((await call(caller, {}, { rounds })).outcome).toBe(outcome);
    expect(await pendingOf(caller)).toHaveLength(1);
  });

  it("who cancels leaves the question to others, and is not asked once more", async () => {
    const caller = newCaller({ interactive: true });
    const { next } = await asked(caller);
    const rounds = { ...next, answers: { toolkeep_approval: { action: "cancel" } } };
    const outcome = await call(caller, {}, { rounds });
    expect(outcome).toMatchObject({ outcome: "needs_approval" });
    expect(outcome.asked).toBeUndefined();
  });

  it("is never asked, and never heard, on a token that is not interactive", async () => {
    const caller = newCaller();
    const { outcome } = await asked(caller);
    expect(outcome.asked).toBeUndefined();
    const interactive = await asked({ ...caller, interactive: true });
    const rounds = { ...interactive.next, answers: accepted({ decision: "once" }) };
    expect((await call(caller, {}, { rounds })).outcome).toBe("needs_approval");
    expect(await pendingOf(caller)).toHaveLength(1);
  });

  it("is asked without the knowledge of a tool that asks questions itself", async () => {
    const caller = newCaller({ interactive: true });
    const seen: unknown[] = [];
    hub.source.replace([
      pay({
        run: async (_, { rounds }) => {
          seen.push(rounds);
          return { kind: "output", content: [] };
        },
      }),
      refund,
    ]);
    const { next } = await asked(caller);
    await call(caller, {}, { rounds: { ...next, answers: accepted({ decision: "once" }) } });
    hub.source.replace([pay(), refund]);
    expect(seen).toEqual([{ capabilities }]);
  });
});

describe("the person at an older client", () => {
  const answeringWith = (answer: (inquiry: Inquiry, signal: AbortSignal) => Promise<object>): Answering => ({
    capabilities,
    answer: async (inquiry, signal) => ({ ...(await answer(inquiry, signal)) }),
  });
  const saying = (content: object) => answeringWith(async () => ({ action: "accept", content }));

  it("is asked within the call, which goes on", async () => {
    const caller = newCaller({ interactive: true });
    const answering = saying({ decision: "once" });
    expect((await call(caller, {}, { answering })).outcome).toBe("ok");
  });

  it.each([
    [{ action: "accept", content: { decision: "reject", reason: "no" } }, "denied"],
    [{ action: "decline" }, "denied"],
    [{ action: "cancel" }, "needs_approval"],
    [{ action: "accept", content: { decision: "always" } }, "needs_approval"],
    [{ action: "accept", content: {} }, "needs_approval"],
  ])("who says %j has the call end as %s", async (said, outcome) => {
    const caller = newCaller({ interactive: true });
    const answering = answeringWith(async () => said);
    expect((await call(caller, {}, { answering })).outcome).toBe(outcome);
  });

  it("is no longer asked when somebody else was faster", async () => {
    const caller = newCaller({ interactive: true });
    let isWithdrawn = false;
    const answering = answeringWith(async (_, signal) => {
      const [question] = await pendingOf(caller);
      await hub.questions.answer(question!.id, "reject", EVE);
      await new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => {
          isWithdrawn = true;
          reject(new Error("withdrawn"));
        }),
      );
      return {};
    });
    expect((await call(caller, {}, { answering })).outcome).toBe("denied");
    expect(isWithdrawn).toBe(true);
  });

  it("is not asked on a token that is not interactive, nor by a client without forms", async () => {
    const answering = saying({ decision: "once" });
    expect((await call(newCaller(), {}, { answering })).outcome).toBe("needs_approval");
    const caller = newCaller({ interactive: true });
    const formless = { ...answering, capabilities: { elicitation: { url: {} } } };
    expect((await call(caller, {}, { answering: formless })).outcome).toBe("needs_approval");
  });
});

it("what people and clients are shown of a call holds no secret", async () => {
  await using secretive = await openExecutor({ tools: [pay()], rules: ASK, secret: "hunter22" });
  const events: unknown[] = [];
  secretive.questions.onAsked((question) => events.push(question));
  const caller = testCaller({ grants: ["pay"], interactive: true });
  const args = { password: "hunter22", text: "x".repeat(1_000) };
  const outcome = await secretive.call("pay", args, { rounds: { capabilities } }, caller);
  const shown = JSON.stringify([events, outcome]);
  expect(shown).not.toContain("hunter22");
  expect(outcome.asked).toBeDefined();
  expect(shown.split("[redacted]")).toHaveLength(3);
});
