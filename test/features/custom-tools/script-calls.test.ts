import { describe, expect, it } from "vitest";
import { type ToolContext, text } from "../../../src/contract/tool.ts";
import { ScriptCalls } from "../../../src/features/custom-tools/script-calls.ts";
import { testCaller, testTool } from "../../support/tools.ts";
import { waitUntil } from "../../support/wait-until.ts";

const context = (agentId: string, signal = new AbortController().signal): ToolContext => ({
  callId: "call",
  caller: testCaller({ agentId }),
  signal,
  progress() {},
});

/** A tool whose calls end when they are told to, or are stopped. */
function heldTool() {
  const begun: { readonly agent: string; readonly end: () => void }[] = [];
  const tool = testTool({
    name: "held",
    run: (_, { caller, signal }) =>
      new Promise((resolve) => {
        const end = () => resolve({ kind: "output", content: [text(signal.aborted ? "stopped" : "ended")] });
        begun.push({ agent: caller.agentId, end });
        signal.addEventListener("abort", end);
      }),
  });
  return { tool, begun };
}

describe("calls of scripts", () => {
  it("are so many at once, and agents take turns", async () => {
    const { tool, begun } = heldTool();
    const { run } = new ScriptCalls(2).track(tool);
    const calls = ["a", "a", "a", "a", "b"].map((agent) => run({}, context(agent)));
    await waitUntil("two have begun", () => begun.length === 2);
    expect(begun.map(({ agent }) => agent)).toEqual(["a", "a"]);
    for (let next = 0; next < calls.length; next++) {
      await waitUntil("the next has begun", () => begun.length > next);
      begun[next]!.end();
    }
    await Promise.all(calls);
    expect(begun.map(({ agent }) => agent)).toEqual(["a", "a", "a", "b", "a"]);
  });

  it("that too many of the same agent wait for do not begin, those of another do", async () => {
    const { tool, begun } = heldTool();
    const calls = new ScriptCalls(1, 1);
    const { run } = calls.track(tool);
    const first = run({}, context("a"));
    const second = run({}, context("a"));
    expect(await run({}, context("a"))).toMatchObject({ kind: "unavailable" });
    const other = run({}, context("b"));
    begun[0]!.end();
    await first;
    await waitUntil("the second has begun", () => begun.length === 2);
    await calls.close();
    expect((await second).kind).toBe("output");
    expect((await other).kind).toBe("unavailable");
  });

  it("that are given up while they wait do not begin", async () => {
    const { tool, begun } = heldTool();
    const { run } = new ScriptCalls(1).track(tool);
    const first = run({}, context("a"));
    const cancel = new AbortController();
    const waiting = run({}, context("a", cancel.signal));
    cancel.abort();
    expect(await waiting).toMatchObject({ kind: "unavailable" });
    begun[0]!.end();
    await first;
    expect(begun).toHaveLength(1);
  });

  it("are stopped by close, and none begins after it", async () => {
    const { tool, begun } = heldTool();
    const calls = new ScriptCalls();
    const { run } = calls.track(tool);
    const running = run({}, context("a"));
    await waitUntil("it has begun", () => begun.length === 1);
    await calls.close();
    expect(await running).toMatchObject({ content: [{ text: "stopped" }] });
    expect(await run({}, context("a"))).toMatchObject({ kind: "unavailable" });
  });
});
