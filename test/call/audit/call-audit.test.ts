import { describe, expect, it } from "vitest";
import { StepClock, stepsOf } from "../../../src/call/audit/call-audit.ts";
import { testApi } from "../../support/test-api.ts";

const call = (steps: string | null, more: { decision?: string; durationMs?: number } = {}) => ({
  steps,
  decision: more.decision ?? "allow",
  durationMs: more.durationMs ?? 2,
});

describe("stepsOf", () => {
  it("each step begins where the one before ended, and the last one ends with the call", () => {
    expect(stepsOf(call("10,15,20,20,1500"))).toEqual([
      { name: "resolve", from: 0, to: 10 },
      { name: "repair", from: 10, to: 15 },
      { name: "decide", from: 15, to: 20 },
      { name: "prepare", from: 20, to: 20 },
      { name: "run", from: 20, to: 1500 },
      { name: "record", from: 1500, to: 2000 },
    ]);
  });

  it("the time between the decision and the run of a call that was asked about is the person's", () => {
    const steps = stepsOf(call("1,2,3,90000,90010", { decision: "ask", durationMs: 90 }));
    expect(steps.map(({ name }) => name)).toEqual(["resolve", "repair", "decide", "ask", "run"]);
  });

  it("a call that nobody approved ends with the asking", () => {
    expect(stepsOf(call("1,2,3,-1,-1", { decision: "ask", durationMs: 7 })).at(-1)).toEqual({
      name: "ask",
      from: 3,
      to: 7000,
    });
  });

  it.each([null, "", "1,2,3", "a,b,c,d,e", "1,2,3,4,5,6"])("there are none in %j", (steps) => {
    expect(stepsOf(call(steps))).toEqual([]);
  });
});

describe("StepClock", () => {
  it("says nothing of a call that got nowhere", () => {
    expect(new StepClock().text).toBeNull();
  });

  it("never goes back", () => {
    const clock = new StepClock();
    for (const step of ["resolved", "checked", "decided", "ready", "ran"] as const) clock.mark(step);
    const marks = clock.text!.split(",").map(Number);
    expect(marks).toEqual(marks.toSorted((a, b) => a - b));
  });
});

it("a call that ran has a timeline, and one that never had a tool has none", async () => {
  await using api = await testApi({ agents: { main: [] } });
  const { callId } = await api.call("think", { thought: "hm" }, "main");
  const lost = await api.call("no_such_tool", {}, "main");
  await api.hub.audit.flush();
  const { timeline, call: shown } = (await api.request("GET", `/api/audit/calls/${callId}`)).body;
  expect(timeline.map(({ name }: { name: string }) => name).slice(0, 5)).toEqual([
    "resolve",
    "repair",
    "decide",
    "prepare",
    "run",
  ]);
  expect(shown).not.toHaveProperty("steps");
  expect((await api.request("GET", `/api/audit/calls/${lost.callId}`)).body.timeline).toEqual([]);
});
