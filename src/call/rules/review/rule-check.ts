import { isDeepStrictEqual } from "node:util";
import { ToolkeepError } from "../../../contract/errors.ts";
import { ruleOf, ruleShape, type WrittenRule } from "../../../machine/config/sections/rule-shape.ts";
import type { Rule } from "../../../machine/config/settings.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { Identity } from "../../identity/identity.ts";
import { compileRule } from "../compiled-rule.ts";
import type { RuleCheck, RuleDraft, RuleInput } from "../contract.ts";
import type { RuleBook } from "../rule-book.ts";
import type { Watchdog } from "../watchdog.ts";
import { type RuleViewDeps, viewStoredRule } from "./rule-view.ts";

export interface RuleCheckDeps extends RuleViewDeps {
  readonly watchdog: Pick<Watchdog, "decider">;
  readonly ruleBook: Pick<RuleBook, "find" | "list">;
  readonly identity: Identity;
  readonly catalog: () => Catalog;
}

const MAX_PROBLEMS = 20;
const MAX_SOME = 8;

/** The rule as it is stored. Throws BAD_REQUEST with the first problem. */
export function checkRule(rule: RuleInput): WrittenRule {
  const parsed = ruleShape.safeParse(rule);
  if (parsed.success) return ruleOf(parsed.data);
  const { path, message } = parsed.error.issues[0]!;
  throw new ToolkeepError("BAD_REQUEST", `${path.join(".")}: expected ${message}`);
}

/** Checks a rule while somebody writes it. */
export function checkDraft(deps: RuleCheckDeps, { agent, ...draft }: RuleDraft): RuleCheck {
  const parsed = ruleShape.safeParse(draft);
  if (!parsed.success) return listProblems(parsed.error.issues);
  const isAgent = agent === undefined || deps.identity.agents().some(({ name }) => name === agent);
  if (!isAgent) return listProblems([{ path: ["agent"], message: "the name of an agent that there is" }]);
  const written = ruleOf(parsed.data);
  const { rules } = deps.watchdog.decider;
  const compiled = compileRule({ ...written, from: agent === undefined ? "user" : "agent" }, "~");
  const matching = rules.toolsMatching(written.permission, deps.catalog().all());
  return {
    ok: true,
    problems: [],
    text: compiled.text,
    tools: matching.length,
    some: matching.slice(0, MAX_SOME).map(({ name }) => name),
    same: findSame(deps, written, agent),
  };
}

function listProblems(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): RuleCheck {
  const problems = issues
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) => ({ field: path.map(String).join("."), expected: message }));
  return { ok: false, problems, text: null, tools: 0, some: [], same: null };
}

function findSame(deps: RuleCheckDeps, written: WrittenRule, agent: unknown): RuleCheck["same"] {
  const agentId = agent === undefined ? null : deps.identity.agent(String(agent)).id;
  const wanted = comparable(written);
  const same = deps.ruleBook
    .list()
    .find(
      (record) =>
        record.agentId === agentId &&
        record.conversation === null &&
        isDeepStrictEqual(comparable(record), wanted),
    );
  return same ? viewStoredRule(deps, same) : null;
}

type Comparable = Pick<Rule, "permission" | "action"> & {
  readonly pattern?: unknown;
  readonly after?: string | null;
  readonly final?: boolean;
};

function comparable({ permission, action, pattern = null, after = null, final = false }: Comparable) {
  return { permission, action, pattern, after, final };
}
