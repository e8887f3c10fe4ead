/** Why a call is decided as it is, and what would change that. */
import type { WrittenRule } from "../../machine/config/sections/rule-shape.ts";
import type { Rule } from "../../machine/config/settings.ts";
import { SUBJECT_KINDS, type SubjectKind } from "./argument-kinds.ts";
import type { RuleIndex } from "./candidates.ts";
import { type Action, type CompiledRule, compareRules, type RuledTool } from "./compiled-rule.ts";
import type { RuledCall, Rules } from "./rules.ts";
import { type AskedCaller, settledAction } from "./settled-action.ts";

export interface Explanation {
  /** What becomes of the call: what a rule asks about runs for a person, and is denied to a headless agent. */
  readonly action: Action;
  /** In words; `default: allow` where no rule matches. */
  readonly text: string;
  readonly winner: Rule | undefined;
  /** Every other rule about the tool, those that match first. */
  readonly others: readonly { readonly rule: Rule; readonly matched: boolean; readonly why: string }[];
  /** What the call is about, as patterns see it. */
  readonly subjects: Readonly<Record<SubjectKind, readonly string[]>>;
  /** Rules of which each would give another answer. */
  readonly changes: readonly Change[];
}

/** A rule that would change the answer; of one agent where it names one. */
export type Change = WrittenRule & { readonly agent?: string };

/** Who calls; `agent`: its name, where it is one. */
export interface ExplainedCaller extends AskedCaller {
  readonly agent?: string;
}

/** Why what a rule asks about is not asked. */
const UNASKED = {
  allow: "; nobody asks the operator",
  deny: "; nobody is asked for a headless agent",
  ask: "",
} as const satisfies Record<Action, string>;
const MAX_OTHERS = 100;
const MAX_SUBJECTS = 20;

export function explain(
  rules: Rules,
  tool: RuledTool,
  call: RuledCall,
  more: readonly RuleIndex[],
  { agent, ...asked }: ExplainedCaller,
): Explanation {
  const { winner, decision, all } = rules.matching(tool, call, more);
  const action = settledAction(decision.action, asked);
  const text = `${decision.rule}${action === decision.action ? "" : UNASKED[action]}`;
  const { subjects } = rules.factsOf(tool, call);
  const others = [...all]
    .filter(([rule]) => rule !== winner)
    .map(([rule, matched]) => {
      return { compiled: rule, matched, why: matched ? whyLost(rule, winner!) : whyNot(rule, call) };
    })
    .toSorted((a, b) => Number(b.matched) - Number(a.matched) || compareRules(b.compiled, a.compiled))
    .slice(0, MAX_OTHERS)
    .map(({ compiled, matched, why }) => ({ rule: compiled.rule, matched, why }));
  const { path, host, hostInCommand, command } = subjects;
  const shown = {
    path: path.slice(0, MAX_SUBJECTS),
    host: [...host, ...hostInCommand].slice(0, MAX_SUBJECTS),
    command: command.slice(0, MAX_SUBJECTS),
  };
  const changes = winner?.rule.final
    ? []
    : changesOf(rules, tool, call, more, { action, subjects: shown, agent, asked });
  return { action, text, winner: winner?.rule, others, subjects: shown, changes };
}

function whyLost(rule: CompiledRule, winner: CompiledRule): string {
  if (winner.rule.final) return "a final deny goes before everything";
  if (rule.rule.from === "project" && winner.rule.from !== "project")
    return "a project's rule may only tighten, and only against what is less specific";
  if (rule.rule.isAnswer && !winner.rule.isAnswer)
    return "an answer only lets run what would be asked about, and not because of a label";
  const differs = [0, 1, 2, 3].find((part) => rule.rank[part] !== winner.rank[part]);
  if (compareRules(rule, winner) > 0) {
    return winner.rule.from === "project"
      ? "a project's rule tightens it"
      : `the tool needs leave for ${winner.rule.permission}, too, and that is decided more strictly`;
  }
  if (differs === 0) return "its permission is less specific";
  if (differs === 1) return "its pattern is less specific";
  if (differs === 2) return `a rule of ${winner.rule.from} goes before one of ${rule.rule.from}`;
  return differs === 3 ? "of equals the stricter counts" : "the one that decided says the same";
}

function whyNot({ rule }: CompiledRule, { labels }: RuledCall): string {
  if (rule.after !== undefined && !labels?.has(rule.after))
    return `the conversation does not have the label ${rule.after}`;
  if (rule.unless !== undefined && rule.pattern === undefined) return "this call is excepted from it";
  return rule.action === "allow"
    ? "its pattern does not surely fit everything in this call"
    : "its pattern fits nothing in this call";
}

/** Tried out, not guessed: the least that is to be added for each other answer, for the agent alone where that is enough. */
function changesOf(
  rules: Rules,
  tool: RuledTool,
  call: RuledCall,
  more: readonly RuleIndex[],
  now: Pick<Explanation, "action" | "subjects"> & {
    readonly agent: string | undefined;
    readonly asked: AskedCaller;
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
      const tried = agent === undefined ? forAll : [...forAll.map((rule) => ({ ...rule, agent })), ...forAll];
      const works = tried.find(({ agent: whose, ...rule }) => {
        const added = rules.more([{ ...rule, from: whose === undefined ? "user" : "agent" }]);
        const { action: decided } = rules.decide(tool, call, [...more, added]);
        return settledAction(decided, now.asked) === action;
      });
      return works ? [works] : [];
    });
}
