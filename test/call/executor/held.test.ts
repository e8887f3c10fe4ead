import { expect, it } from "vitest";
import type { Rule } from "../../../src/machine/config/settings.ts";
import { openExecutor } from "../../support/executor.ts";
import { testCaller, testTool } from "../../support/tools.ts";

const allow = { action: "allow" } as const;

it.each<[string, readonly Rule[]]>([
  ["no rule", []],
  ["an allow of everything", [{ permission: "*", ...allow, from: "user" }]],
  ["an allow by name", [{ permission: "held", ...allow, from: "user" }]],
  ["an allow of its server", [{ permission: "mcp:calc:*", ...allow, from: "user" }]],
  ["an allow of the agent's own", [{ permission: "held", ...allow, from: "agent" }]],
  ["an allow of the conversation", [{ permission: "held", ...allow, from: "session" }]],
  ["what a person said always to", [{ permission: "held", ...allow, from: "agent", isAnswer: true }]],
  [
    "an allow for exactly these arguments",
    [{ permission: "held", pattern: { "arg.a": "1" }, ...allow, from: "user" }],
  ],
  ["a rule that asks", [{ permission: "held", action: "ask", from: "user" }]],
])("a tool that is kept back does not run, and nobody is asked about it: %s", async (_, rules) => {
  let ran = false;
  const held = testTool({
    ...{ name: "held", origin: "mcp:calc", ownName: "held" },
    status: () => ({ kind: "pending_approval", reason: "it changed" }),
    run: async () => {
      ran = true;
      return { kind: "output", content: [] };
    },
  });
  await using hub = await openExecutor({ tools: [held], rules });
  const operator = testCaller({ agentId: "operator", operator: true });
  for (const who of [undefined, operator])
    expect(await hub.call("held", { a: "1" }, {}, who)).toMatchObject({ outcome: "pending_approval" });
  const [inBatch] = await hub.batch(["held"]);
  expect(inBatch).toMatchObject({ outcome: "pending_approval" });
  expect([ran, await hub.questions.list()]).toEqual([false, []]);
});
