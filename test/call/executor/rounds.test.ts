import { expect, test } from "vitest";
import type { Notice, Tool, ToolContext, ToolResult } from "../../../src/contract/tool.ts";
import { LightSignal } from "../../../src/lib/flow/light-signal.ts";
import { openExecutor } from "../../support/executor.ts";
import { ruleSettings } from "../../support/rule-deps.ts";
import { testTool } from "../../support/tools.ts";

const asked = {
  inquiries: { who: { method: "elicitation/create", params: { message: "Who?" } } },
  state: "opaque",
} as const;

/** Asks in the first round; answers with the answers it got in the second. */
function askingTool(): Tool & { rounds: unknown[] } {
  const rounds: unknown[] = [];
  const tool = testTool({
    name: "greet",
    run: async (_, context) => {
      rounds.push(context.rounds);
      if (!context.rounds?.answers) return { kind: "asks", asked };
      return { kind: "output", content: [{ type: "text", text: JSON.stringify(context.rounds.answers) }] };
    },
  });
  return { ...tool, rounds };
}

function toolThat(run: (context: ToolContext) => ToolResult, more: Partial<Tool> = {}): Tool {
  return testTool({ name: "it", run: async (_, context) => run(context), ...more });
}

const capabilities = { elicitation: {} };

test("what a tool asks ends the round as needs_input, and the answers reach it in the next", async () => {
  const tool = askingTool();
  await using hub = await openExecutor({ tools: [tool] });
  const first = await hub.call("greet", {}, { rounds: { capabilities } });
  expect(first).toMatchObject({ outcome: "needs_input", asked, error: { message: expect.any(String) } });
  expect(first.asked).not.toHaveProperty("approved");

  const rounds = { capabilities, answers: { who: { action: "accept" } }, state: "opaque" };
  const second = await hub.call("greet", {}, { rounds });
  expect(second).toMatchObject({ outcome: "ok", text: '{"who":{"action":"accept"}}' });
  expect(tool.rounds).toEqual([{ capabilities }, rounds]);
});

test("secrets are taken out of what a tool asks, never out of the state that it gets back", async () => {
  const tool = toolThat(() => ({
    kind: "asks",
    asked: {
      inquiries: { q: { method: "elicitation/create", params: { message: "is it hunter22?" } } },
      state: "hunter22",
    },
  }));
  await using hub = await openExecutor({ tools: [tool], secret: "hunter22" });
  const { asked } = await hub.call("it", {}, { rounds: { capabilities } });
  expect(asked).toEqual({
    inquiries: { q: { method: "elicitation/create", params: { message: "is it [redacted]?" } } },
    state: "hunter22",
  });
});

test("a secret that is also the name of a field leaves the field its name", async () => {
  const tool = toolThat(() => ({ kind: "output", content: [], structured: { a: "output" } }));
  await using hub = await openExecutor({ tools: [tool], secret: "output" });
  expect(await hub.call("it")).toMatchObject({ outcome: "ok", structured: { a: "[redacted]" } });
});

test("a call that a person approved goes on once without asking again, and a deny still counts", async () => {
  const tool = askingTool();
  const rules = [{ permission: "greet", action: "ask", from: "user" }] as const;
  await using hub = await openExecutor({ tools: [tool], rules });
  const refused = await hub.call("greet", {}, { rounds: { capabilities } });
  await hub.questions.answer(refused.error!.details!.approvalId as string, "once");
  const first = await hub.call("greet", {}, { rounds: { capabilities } });
  expect(first).toMatchObject({ outcome: "needs_input", asked: { approved: expect.any(String) } });

  const next = { capabilities, answers: {}, state: "opaque", approved: first.asked!.approved! };
  expect(await hub.call("greet", {}, { rounds: next })).toMatchObject({ outcome: "ok" });
  expect(await hub.call("greet", {}, { rounds: next })).toMatchObject({ outcome: "needs_approval" });

  hub.watchdog.apply(ruleSettings([{ permission: "greet", action: "deny", from: "user" }]));
  const denied = { ...next, approved: "call_other" };
  expect(await hub.call("greet", {}, { rounds: denied })).toMatchObject({ outcome: "denied" });
  expect(tool.rounds).toHaveLength(2);
});

test("an error of the protocol that a client acts on is passed on, without secrets", async () => {
  const fault = {
    code: -32042,
    message: "open hunter22",
    data: { elicitations: [{ url: "https://x/?hunter22" }] },
  };
  const tool = toolThat(() => ({ kind: "failed", message: "sign in first", fault }));
  await using hub = await openExecutor({ tools: [tool], secret: "hunter22" });
  expect(await hub.call("it")).toMatchObject({
    outcome: "failed",
    text: "sign in first",
    fault: {
      code: -32042,
      message: "open [redacted]",
      data: { elicitations: [{ url: "https://x/?[redacted]" }] },
    },
  });
});

test("a verbatim result is passed on whole far beyond what others are cut to, or not at all", async () => {
  let size = 20_000;
  const tool = toolThat(
    () => ({ kind: "output", content: [], structured: { contents: ["x".repeat(size)] } }),
    { verbatim: true },
  );
  await using hub = await openExecutor({ tools: [tool], maxResultChars: 1_000, maxMessageBytes: 50_000 });
  const whole = await hub.call("it");
  expect(whole).toMatchObject({ outcome: "ok", truncated: false });
  expect(whole.structured).toEqual({ contents: ["x".repeat(20_000)] });

  size = 60_000;
  const none = await hub.call("it");
  expect(none).toMatchObject({
    outcome: "failed",
    error: { message: expect.stringContaining("50000 bytes") },
  });
  expect(none.structured).toBeUndefined();
});

test("notices reach the caller without secrets; too many, too large and too deep ones do not", async () => {
  const nested = (levels: number): unknown => (levels === 0 ? "deep" : { in: nested(levels - 1) });
  const tool = toolThat(({ onNotice, logLevel }) => {
    const say = (data: unknown) =>
      onNotice?.({ method: "notifications/message", params: { level: "info", data } });
    say(`${logLevel}: hunter22`);
    say("x".repeat(100_000));
    say(nested(100));
    for (let count = 0; count < 2_000; count++) say(count);
    return { kind: "output", content: [] };
  });
  await using hub = await openExecutor({ tools: [tool], secret: "hunter22" });
  const heard: Notice[] = [];
  await hub.call("it", {}, { logLevel: "debug", onNotice: (notice) => heard.push(notice) });
  expect(heard[0]?.params).toEqual({ level: "info", data: "debug: [redacted]" });
  expect(heard[1]?.params).toEqual({ level: "info", data: 0 });
  expect(heard).toHaveLength(1_000);
});

test("a call is cancelled by a stop as by a signal, and the tool hears of it either way", async () => {
  const heard: string[] = [];
  const tool = testTool({
    name: "waits",
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.onabort = () => heard.push("stop");
        signal.addEventListener("abort", () => {
          heard.push("signal");
          reject(new Error("stopped"));
        });
      }),
  });
  await using hub = await openExecutor({ tools: [tool] });
  const stop = new LightSignal();
  const calling = hub.call("waits", {}, { signal: stop });
  setImmediate(() => stop.abort("gone"));
  expect(await calling).toMatchObject({ outcome: "cancelled" });
  expect(heard.sort()).toEqual(["signal", "stop"]);
});
