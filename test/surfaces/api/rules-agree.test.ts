import { expect, it } from "vitest";
import { describeRule } from "../../../dashboard/src/pages/rules/rule-sentence.ts";
import type { RuledTool } from "../../../src/call/rules/compiled-rule.ts";
import { defaultRules } from "../../../src/call/rules/default-rules.ts";
import { viewRule } from "../../../src/call/rules/review/rule-view.ts";
import { Rules } from "../../../src/call/rules/rules.ts";
import type { Rule } from "../../../src/machine/config/settings.ts";
import type { RuleExplanation } from "../../../src/surfaces/api/contract.ts";
import { formatRuleView } from "../../../src/surfaces/cli/print/rule-text.ts";
import { Dice } from "../../support/dice.ts";
import { inDeep } from "../../support/length.ts";
import { testApi } from "../../support/test-api.ts";
import { fixture } from "../../support/upstream.ts";

const seed = Number(process.env.TEST_SEED ?? 1_909);
const RULES = 600;
const ROUNDS = 15;
const WRITES = { readOnly: false, concurrencySafe: false, destructive: true };

const TOOLS: readonly RuledTool[] = [
  { name: "mcp_a_send", origin: "mcp:a", ownName: "send", capabilities: ["net"], untrusted: true },
  { name: "mcp_b_send", origin: "mcp:b", ownName: "send", capabilities: ["net"] },
  { name: "mcp_a_write", origin: "mcp:a", ownName: "write", capabilities: ["fs.write"], untrusted: true },
  { name: "run_shell", origin: "native", ownName: "run_shell", capabilities: ["shell"], flags: WRITES },
  { name: "forget", origin: "native", ownName: "forget", capabilities: [], flags: WRITES },
];
const ARGUMENTS: readonly Record<string, unknown>[] = [
  {},
  { url: "https://a.example/" },
  { url: "https://b.example/" },
  { command: "git status" },
  { path: "notes/a.txt" },
];
const LABELS = [new Set<string>(), new Set(["untrusted_content"])];

/** Of few words, so that many differ in one thing only. */
function randomRule(dice: Dice): Rule {
  return {
    permission: dice.one(["*", "net", "destructive", "shell", "mcp:a:*", "run_shell"]),
    action: dice.one(["allow", "ask", "deny"]),
    from: "default",
    ...(dice.chance(0.4) && { only: "untrusted" }),
    ...(dice.chance(0.3) && { except: dice.one([["forget"], ["run_shell"], ["forget", "run_shell"]]) }),
    ...(dice.chance(0.3) && { unless: { host: dice.one(["a.example", "b.example"]) } }),
    ...(dice.chance(0.3) && { pattern: dice.one([{ host: "a.example" }, { path: "notes/**" }, "git *"]) }),
    ...(dice.chance(0.3) && { after: "untrusted_content" }),
  };
}

/** What a rule alone says to every call. */
function decisionsBy(rule: Rule): string {
  const rules = new Rules([rule]);
  return TOOLS.flatMap((tool) =>
    ARGUMENTS.flatMap((args) => LABELS.map((labels) => rules.decide(tool, { args, labels }).action)),
  ).join(" ");
}

inDeep(
  `rules that the page or the command line describe alike decide alike (TEST_SEED=${seed})`,
  async () => {
    await using api = await testApi();
    const deps = { ...api.hub, loaded: () => api.hub.loaded };
    const dice = new Dice(seed);
    const shipped = [true, false].flatMap((isSandboxed) => [
      ...defaultRules({ defaultRules: true, trust: { allowHosts: [] } }, { isSandboxed }),
      ...defaultRules({ defaultRules: true, trust: { allowHosts: ["a.example"] } }, { isSandboxed }),
    ]);
    const bare = shipped.map(({ permission, action, from }) => ({ permission, action, from }));
    const rules = [...shipped, ...bare, ...Array.from({ length: RULES }, () => randomRule(dice))];
    const known = new Map<string, { decisions: string; rule: Rule }>();
    for (const rule of rules) {
      const view = viewRule(deps, rule);
      const decisions = decisionsBy(rule);
      for (const words of [`page: ${describeRule(view)}`, `command: ${formatRuleView(view)}`]) {
        const same = known.get(words);
        if (same) expect(decisions, `${words}\n${JSON.stringify([same.rule, rule])}`).toBe(same.decisions);
        known.set(words, { decisions, rule });
      }
    }
    expect(known.size).toBeGreaterThan(200);
    const untrusted = viewRule(deps, shipped.find(({ permission }) => permission === "net")!);
    expect(describeRule(untrusted)).toBe(
      "Ask a person before any agent calls a tool that uses the network, if its server is untrusted.",
    );
  },
);

it(`explain says what becomes of the call, for people, agents and headless ones (TEST_SEED=${seed})`, async () => {
  await using api = await testApi({
    servers: { web: fixture("echoes") as object },
    toolboxes: { box: ["mcp:web:*", "native:*"] },
    agents: { watched: ["box"] },
    settings: { default_rules: true, approvals: { wait_ms: 0 } },
  });
  const { hub } = api;
  await hub.identity.createAgent("headless", { toolboxes: ["box"], headless: true });
  await hub.identity.createAgent("below", { toolboxes: ["box"], parent: "headless" });
  await hub.upstream.test("web");
  const dice = new Dice(seed);
  const seen = new Set<string>();
  let calls = 0;

  for (let round = 0; round < ROUNDS; round++) {
    const ids: string[] = [];
    for (let count = dice.below(4); count > 0; count--) {
      const { permission, action, after } = randomRule(dice);
      const about = dice.one([permission, "think", "mcp:web:*", "fs.read", "*"]);
      const agent = dice.one([null, "watched", "headless", "below"]);
      const record = await hub.ruleBook.add({
        permission: about,
        action,
        ...(after !== undefined && { after }),
        agentId: agent === null ? null : hub.identity.agent(agent).id,
        createdBy: "test",
      });
      ids.push(record.id);
    }
    for (const agent of [undefined, "watched", "headless", "below"])
      for (const tool of ["think", "mcp_web_echo", "read_file"]) {
        calls += 1;
        const args =
          tool === "think"
            ? { thought: `${calls}` }
            : tool === "read_file"
              ? { path: `f${calls}` }
              : { text: `${calls}` };
        const input = { tool, arguments: args, conversation: "test", ...(agent !== undefined && { agent }) };
        const answer = await api.request("POST", "/api/rules/explain", input);
        expect(answer.status, JSON.stringify(answer.body)).toBe(200);
        const said: RuleExplanation = answer.body;
        const { outcome } = await api.call(tool, args, agent);
        const became = outcome === "denied" ? "deny" : outcome === "needs_approval" ? "ask" : "allow";
        expect(said.action, `${agent} ${tool}: ${said.text}`).toBe(became);
        seen.add(`${agent} ${became}`);
        // Each change that it offers has the answer that it names.
        for (const change of said.changes) expect(change.action).not.toBe(said.action);
        if (agent === "headless") expect(said.changes.map(({ action }) => action)).not.toContain("ask");
      }
    for (const { id } of await hub.questions.list({ state: "pending" })) await hub.questions.dismiss(id);
    for (const id of ids) await hub.ruleBook.remove(id);
  }
  expect([...seen].sort()).toEqual([
    "below allow",
    "below deny",
    "headless allow",
    "headless deny",
    "undefined allow",
    "undefined deny",
    "watched allow",
    "watched ask",
    "watched deny",
  ]);
});
