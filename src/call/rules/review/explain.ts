/** Why a call is decided as it is, and what would change that. */
import type { WrittenRule } from "../../../machine/config/sections/rule-shape.ts";
import type { Rule } from "../../../machine/config/settings.ts";
import { SUBJECT_KINDS, type SubjectKind } from "../argument-kinds.ts";
import type { RuleIndex } from "../candidates.ts";
import { type Action, type CompiledRule, compareRules, type RuledTool } from "../compiled-rule.ts";
import { type CallerKind, effectiveAction } from "../effective-action.ts";
import type { RuledCall, Rules } from "../rules.ts";

export interface Explanation {
  /** What happens to the call: an ask runs for a person and is denied to a headless agent. */
  readonly action: Action;
  /** In words; `default: allow` where no rule matches. */
  readonly text: string;
  readonly winner: Rule | undefined;
  /** All other rules about the tool, matching ones first. */
  readonly others: readonly { readonly rule: Rule; readonly matched: boolean; readonly why: string }[];
  /** The paths, hosts and commands of the call, as patterns see them. */
  readonly subjects: Readonly<Record<SubjectKind, readonly string[]>>;
  /** Rules that would each change the answer. */
  readonly changes: readonly Change[];
}

/** A rule that would change the answer; for one agent if it names one. */
export type Change = WrittenRule & { readonly agent?: string };

/** Who calls; `agent`: its name, if it is an agent. */
export interface ExplainedCaller extends CallerKind {
  readonly agent?: string;
}

/** Why nobody is asked although a rule asks. */
const NOT_ASKED = {
  allow: "; the operator is not asked",
  deny: "; the agent is headless, so nobody is asked",
  ask: "",
} as const satisfies Record<Action, string>;
const MAX_OTHERS = 100;
const MAX_SUBJECTS = 20;

export function explain(
  rules: Rules,
  tool: RuledTool,
  call: RuledCall,
  extra: readonly RuleIndex[],
  { agent, ...callerKind }: ExplainedCaller,
): Explanation {
  const { winner, decision, all } = rules.matchAll(tool, call, extra);
  const action = effectiveAction(decision.action, callerKind);
  const text = `${decision.rule}${action === decision.action ? "" : NOT_ASKED[action]}`;
  const { subjects } = rules.factsOf(tool, call);
  const others = [...all]
    .filter(([rule]) => rule !== winner)
    .map(([rule, matched]) => {
      return {
        compiled: rule,
        matched,
        why: matched ? explainLoss(rule, winner!) : explainMismatch(rule, call),
      };
    })
    .toSorted((a, b) => Number(b.matched) - Number(a.matched) || compareRules(b.compiled, a.compiled))
    .slice(0, MAX_OTHERS)
    .map(({ compiled, matched, why }) => ({ rule: compiled.rule, matched, why }));
  const { path, host, hostInCommand, command } = subjects;
  const shownSubjects = {
    path: path.slice(0, MAX_SUBJECTS),
    host: [...host, ...hostInCommand].slice(0, MAX_SUBJECTS),
    command: command.slice(0, MAX_SUBJECTS),
  };
  const changes = winner?.rule.final
    ? []
    : findChanges(rules, tool, call, extra, { action, subjects: shownSubjects, agent, callerKind });
  return { action, text, winner: winner?.rule, others, subjects: shownSubjects, changes };
}

function explainLoss(rule: CompiledRule, winner: CompiledRule): string {
  if (winner.rule.final) return "a final deny takes precedence over everything";
  if (rule.rule.from === "project" && winner.rule.from !== "project")
    return "a project's rule may only tighten, and only against what is less specific";
  if (rule.rule.isAnswer && !winner.rule.isAnswer)
    return "an answer to an approval only replaces an ask, and not one that is due to a label";
  const differs = [0, 1, 2, 3].find((part) => rule.rank[part] !== winner.rank[part]);
  if (compareRules(rule, winner) > 0) {
    return winner.rule.from === "project"
      ? "a project's rule tightens it"
      : `the tool also needs permission for ${winner.rule.permission}, and that is decided more strictly`;
  }
  if (differs === 0) return "its permission is less specific";
  if (differs === 1) return "its pattern is less specific";
  if (differs === 2) return `a ${winner.rule.from} rule takes precedence over a ${rule.rule.from} rule`;
  return differs === 3
    ? "of equally specific rules the stricter one counts"
    : "the deciding rule says the same";
}

function explainMismatch({ rule }: CompiledRule, { labels }: RuledCall): string {
  if (rule.after !== undefined && !labels?.has(rule.after))
    return `the conversation does not have the label ${rule.after}`;
  if (rule.unless !== undefined && rule.pattern === undefined) return "this call is excepted from it";
  return rule.action === "allow"
    ? "its pattern does not certainly match everything in this call"
    : "its pattern matches nothing in this call";
}

/** The smallest rule that leads to each other answer, found by trying; for the agent alone where that is enough. */
function findChanges(
  rules: Rules,
  tool: RuledTool,
  call: RuledCall,
  extra: readonly RuleIndex[],
  now: Pick<Explanation, "action" | "subjects"> & {
    readonly agent: string | undefined;
    readonly callerKind: CallerKind;
  },
): readonly Change[] {
  const subject = SUBJECT_KINDS.toReversed().find((kind) => now.subjects[kind].length === 1);
  const exact = subject && { [subject]: now.subjects[subject][0]! };
  const permission = tool.name;
  return (["allow", "ask", "deny"] as const)
    .filter((action) => action !== now.action)
    .flatMap((action) => {
      const forAll: Change[] = [
        { permission, action },
        ...(exact ? [{ permission, action, pattern: exact }] : []),
      ];
      const { agent } = now;
      const candidates =
        agent === undefined ? forAll : [...forAll.map((rule) => ({ ...rule, agent })), ...forAll];
      const working = candidates.find(({ agent: ruleAgent, ...rule }) => {
        const added = rules.compileExtra([{ ...rule, from: ruleAgent === undefined ? "user" : "agent" }]);
        const { action: decided } = rules.decide(tool, call, [...extra, added]);
        return effectiveAction(decided, now.callerKind) === action;
      });
      return working ? [working] : [];
    });
}
