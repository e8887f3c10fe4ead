/** Which of the matching rules decides. */
import type { Candidates } from "./candidates.ts";
import { type Action, type CompiledRule, compareRules, STRICTNESS } from "./compiled-rule.ts";
import type { RankedRules } from "./ranked-rules.ts";

type Test = (rule: CompiledRule) => boolean;
/** Finds the first rule that matches the call and passes the test. */
export type FindFirst = (rules: RankedRules, test: Test) => CompiledRule | undefined;
/** The action of a matching rule; an uncertain deny asks. */
export type ActionOf = (rule: CompiledRule) => Action;

const asWritten: ActionOf = ({ rule }) => rule.action;

/**
 * The rule that decides among all that `first` finds to match; undefined: none does. A final deny takes precedence.
 * Otherwise the more specific rule wins: named rules before rules about what a tool can do, those before `*`; then by
 * pattern, then by scope, and of equals the stricter. Project rules may only tighten: they loosen nothing that other
 * rules say, and only a more specific rule of an agent or a session prevails against one. An answer to an approval
 * allows what would be asked about, unless that is due to a label of the conversation.
 */
export function weigh(
  own: readonly Candidates[],
  project: Candidates,
  first: FindFirst,
  actionOf: ActionOf = asWritten,
): CompiledRule | undefined {
  const written = findDecisive(own, project, first, isWritten, actionOf);
  const isAsk = written !== undefined && actionOf(written) === "ask";
  if (!isAsk || !own.some(({ hasAnswers }) => hasAnswers)) return written;
  if ([...own, project].some(({ flows }) => first(flows, isAny))) return written;
  return findDecisive(own, project, first, isAny, actionOf);
}

function findDecisive(
  own: readonly Candidates[],
  project: Candidates,
  first: FindFirst,
  test: Test,
  actionOf: ActionOf,
): CompiledRule | undefined {
  for (const { final } of [...own, project]) {
    const rule = first(final, test);
    if (rule) return rule;
  }
  const winner = findStrictest(findWinners(own, first, test), actionOf);
  if (isEmpty(project)) return winner;
  const tightening = findWinners([project], first, test).filter((rule) => {
    if (winner && STRICTNESS[actionOf(rule)] <= STRICTNESS[actionOf(winner)]) return false;
    return !winner || !prevailsOver(winner, rule);
  });
  return findStrictest(tightening, actionOf) ?? winner;
}

/** Whether every call is denied, whichever conditional rules match it. */
export function deniesAll(own: readonly Candidates[], project: Candidates): boolean {
  if ([...own, project].some(({ final }) => final.all.some((rule) => !rule.isConditional))) return true;
  // The most permissive case: rules that deny only some calls do not match, all others do.
  const couldHold = (compiled: CompiledRule) =>
    isWritten(compiled) && (!compiled.isConditional || compiled.rule.action !== "deny");
  const isDeny = ({ rule }: CompiledRule) => rule.action === "deny";
  const first: FindFirst = (rules, test) => rules.all.find(test);
  if (findWinners(own, first, couldHold).some(isDeny)) return true;
  const denied = findWinners([project], first, couldHold).filter(isDeny);
  const others = own.flatMap(allRules).filter(isWritten);
  return denied.some((deny) => !others.some((rule) => !isDeny(rule) && prevailsOver(rule, deny)));
}

/**
 * One winner where a name decides; otherwise one for each thing that the tool can do. Traits that no rule is about are
 * decided by the rules for `*`, which no default loosens.
 */
function findWinners(groups: readonly Candidates[], first: FindFirst, test: Test): readonly CompiledRule[] {
  const named = findBest(groups, "named", first, test);
  if (named) return [named];
  const found: CompiledRule[] = [];
  for (const group of groups)
    for (const rules of group.traits) {
      const rule = first(rules, test);
      if (!rule) continue;
      const index = found.findIndex((each) => each.rule.permission === rule.rule.permission);
      if (index < 0) found.push(rule);
      else if (compareRules(rule, found[index]!) > 0) found[index] = rule;
    }
  const isCovered = found.length > 0 && groups.every(({ traitCount }) => traitCount <= found.length);
  if (isCovered && !found.some(isDefault)) return found;
  // Where every trait is covered, defaults for `*` do not count, but a person's rule for `*` does.
  const any = findBest(groups, "any", first, isCovered ? (rule) => test(rule) && !isDefault(rule) : test);
  return any ? [...found, any] : found;
}

/** Written by a person or shipped with Toolkeep, not an answer. */
function isWritten({ rule }: CompiledRule): boolean {
  return !rule.isAnswer;
}

function isAny(): boolean {
  return true;
}

function isDefault({ rule }: CompiledRule): boolean {
  return rule.from === "default";
}

/** All rules about the tool. */
export function allRules({ named, traits, any }: Candidates): readonly CompiledRule[] {
  return [...named.all, ...traits.flatMap(({ all }) => all), ...any.all];
}

function prevailsOver(winner: CompiledRule, project: CompiledRule): boolean {
  const { from } = winner.rule;
  return (from === "agent" || from === "session") && compareRules(winner, project) > 0;
}

function findBest(
  groups: readonly Candidates[],
  list: "named" | "any",
  first: FindFirst,
  test: Test,
): CompiledRule | undefined {
  let best: CompiledRule | undefined;
  for (const group of groups) {
    const rule = first(group[list], test);
    if (rule && (!best || compareRules(rule, best) > 0)) best = rule;
  }
  return best;
}

function isEmpty({ named, traits, any }: Candidates): boolean {
  return named.all.length + traits.length + any.all.length === 0;
}

function findStrictest(rules: readonly CompiledRule[], actionOf: ActionOf): CompiledRule | undefined {
  let strictest: CompiledRule | undefined;
  for (const rule of rules) {
    const difference = strictest ? STRICTNESS[actionOf(rule)] - STRICTNESS[actionOf(strictest)] : 1;
    if (difference > 0 || (difference === 0 && compareRules(rule, strictest!) > 0)) strictest = rule;
  }
  return strictest;
}
