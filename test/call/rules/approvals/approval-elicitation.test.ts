import { expect, it } from "vitest";
import { approvalInquiry } from "../../../../src/call/rules/approvals/approval-elicitation.ts";

const question = (details: Record<string, unknown>) => ({ id: "qst_1", prompt: "May it?", details });
const paramsOf = (details: Record<string, unknown>) =>
  JSON.stringify(approvalInquiry(question(details))?.params ?? null);

it("a form shows the whole call, and there is none where it cannot", () => {
  expect(paramsOf({ tool: "pay", arguments: "x".repeat(5_000) })).toContain("x".repeat(5_000));
  expect(approvalInquiry(question({ tool: "pay", arguments: "x".repeat(6_001) }))).toBeUndefined();
  const long = { tool: "write_file", arguments: "x".repeat(3_500) };
  expect(
    approvalInquiry(question({ calls: [long, long, { tool: "run_shell", arguments: "{}" }] })),
  ).toBeUndefined();
});

it("a form about a batch says that it is about all of its calls", () => {
  const call = { tool: "pay", arguments: "{}" };
  expect(paramsOf({ calls: [call, call] })).toContain("once: these 2 calls, each of them one time");
  expect(paramsOf(call)).toContain("once: this call and no other");
});
