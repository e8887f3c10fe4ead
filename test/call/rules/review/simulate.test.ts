import { expect, it } from "vitest";
import type { CallRecord } from "../../../../src/call/audit/contract.ts";
import { simulate } from "../../../../src/call/rules/review/simulate.ts";
import { Rules } from "../../../../src/call/rules/rules.ts";
import type { Rule } from "../../../../src/machine/config/settings.ts";
import { testCaller, testTool } from "../../../support/tools.ts";

const LONG = Array.from({ length: 400 }, (_, at) => `echo ${at};`).join(" ");

function runSimulation(globs: number, records: number, signal?: AbortSignal) {
  const commands = Array.from({ length: globs }, (_, at) => `nothing${at} *`);
  const rule: Rule = { permission: "*", pattern: { command: commands }, action: "deny", from: "user" };
  const record = {
    tool: "sh",
    decision: "allow",
    arguments: JSON.stringify({ command: LONG }),
    labels: null,
  };
  const deps = {
    rules: new Rules([rule]),
    extraRulesFor: () => [],
    toolOf: () => testTool({ name: "sh" }),
    callerOf: () => testCaller({}),
    callOf: (_: unknown, args: Readonly<Record<string, unknown>>) => ({ args }),
  };
  return simulate(new Array<CallRecord>(records).fill(record as CallRecord), deps, signal);
}

it("yields to other work, and stops when nobody waits for it", async () => {
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  const { decided } = await runSimulation(10, 100);
  clearInterval(counting);
  expect(decided).toBe(100);
  expect(turns).toBeGreaterThan(5);
  await expect(runSimulation(10, 100, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
});

it("a command is read once, however many globs it is compared with", async () => {
  const timeOf = async (globs: number) => {
    const begun = performance.now();
    await runSimulation(globs, 20);
    return performance.now() - begun;
  };
  await timeOf(1);
  expect(await timeOf(200)).toBeLessThan(20 * (await timeOf(1)));
});
