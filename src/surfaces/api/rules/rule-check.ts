import { isDeepStrictEqual } from "node:util";
import { compileRule } from "../../../call/rules/compiled-rule.ts";
import { ToolkeepError } from "../../../contract/errors.ts";
import type { Hub } from "../../../hub.ts";
import { ruleOf, ruleShape, type WrittenRule } from "../../../machine/config/sections/rule-shape.ts";
import type { Rule } from "../../../machine/config/settings.ts";
import type { RuleCheck, RuleDraft, RuleInput, RuleProblem } from "../contract.ts";
import { storedView } from "./rule-view.ts";

const MAX_PROBLEMS = 20;
const MAX_SOME = 8;

/** Throws BAD_REQUEST with the first thing that is wrong. */
export function checkedRule(rule: RuleInput): WrittenRule {
  const parsed = ruleShape.safeParse(rule);
  if (parsed.success) return ruleOf(parsed.data);
  const { path, message } = parsed.error.issues[0]!;
  throw new ToolkeepError("BAD_REQUEST", `${path.join(".")}: expected ${message}`);
}

/** What there is to say of a rule while somebody writes it. */
export function checkDraft(hub: Hub, { agent, ...draft }: RuleDraft): RuleCheck {
  const parsed = ruleShape.safeParse(draft);
  if (!parsed.success) return wrong(parsed.error.issues);
  const isAgent = agent === undefined || hub.identity.agents().some(({ name }) => name === agent);
  if (!isAgent) return wrong([{ path: ["agent"], message: "the name of an agent that there is" }]);
  const written = ruleOf(parsed.data);
  const { rules } = hub.watchdog.decider;
  const compiled = compileRule({ ...written, from: agent === undefined ? "user" : "agent" }, "~");
  const about = rules.toolsMatching(written.permission, hub.catalog.all());
  return {
    ok: true,
    problems: [],
    text: compiled.text,
    tools: about.length,
    some: about.slice(0, MAX_SOME).map(({ name }) => name),
    same: sameAs(hub, written, agent),
  };
}

function wrong(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): RuleCheck {
  const problems = issues
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }): RuleProblem => ({ field: path.map(String).join("."), expected: message }));
  return { ok: false, problems, text: null, tools: 0, some: [], same: null };
}

function sameAs(hub: Hub, written: WrittenRule, agent: unknown): RuleCheck["same"] {
  const agentId = agent === undefined ? null : hub.identity.agent(String(agent)).id;
  const wanted = comparable(written);
  const same = hub.ruleBook
    .list()
    .find(
      (record) =>
        record.agentId === agentId &&
        record.conversation === null &&
        isDeepStrictEqual(comparable(record), wanted),
    );
  return same ? storedView(hub, same) : null;
}

type Comparable = Pick<Rule, "permission" | "action"> & {
  readonly pattern?: unknown;
  readonly after?: string | null;
  readonly final?: boolean;
};

function comparable({ permission, action, pattern = null, after = null, final = false }: Comparable) {
  return { permission, action, pattern, after, final };
}
