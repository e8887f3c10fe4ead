/** Which of the rules that match decides. */
import type { Candidates } from "./candidates.ts";
import { type Action, type CompiledRule, compareRules, STRICTNESS } from "./compiled-rule.ts";
import type { RankedRules } from "./ranked-rules.ts";

type Test = (rule: CompiledRule) => boolean;
/** The first of the rules that matches the call and passes the test. */
export type First = (rules: RankedRules, test: Test) => CompiledRule | undefined;
/** What a rule that matched says of the call; a deny that is not sure of it asks. */
export type ActionOf = (rule: CompiledRule) => Action;

const asWritten: ActionOf = ({ rule }) => rule.action;

/**
 * The rule that decides, of all that `first` finds to match; undefined: none does. A final deny goes before everything. Else
 * the more specific wins: named rules before those about what a tool can do, those before `*`; then by pattern, then by
 * scope, and of equals the stricter. Projects may only tighten: what the other rules say is loosened by none of theirs,
 * and only a more specific rule of an agent or a session stands against one. What a person answered to an approval lets
 * run what would be asked about, unless that is so because of what the conversation has come in touch with.
 */
export function weigh(
  own: readonly Candidates[],
  project: Candidates,
  first: First,
  actionOf: ActionOf = asWritten,
): CompiledRule | undefined {
  const written = decisive(own, project, first, isWritten, actionOf);
  const asks = written !== undefined && actionOf(written) === "ask";
  if (!asks || !own.some(({ hasAnswers }) => hasAnswers)) return written;
  if ([...own, project].some(({ flows }) => first(flows, isAny))) return written;
  return decisive(own, project, first, isAny, actionOf);
}

function decisive(
  own: readonly Candidates[],
  project: Candidates,
  first: First,
  test: Test,
  actionOf: ActionOf,
): CompiledRule | undefined {
  for (const { final } of [...own, project]) {
    const rule = first(final, test);
    if (rule) return rule;
  }
  const winner = strictest(winners(own, first, test), actionOf);
  if (isEmpty(project)) return winner;
  const tightening = winners([project], first, test).filter((rule) => {
    if (winner && STRICTNESS[actionOf(rule)] <= STRICTNESS[actionOf(winner)]) return false;
    return !winner || !standsAgainst(winner, rule);
  });
  return strictest(tightening, actionOf) ?? winner;
}

/** Whether every call is denied, whichever of the conditional rules match it. */
export function deniesAll(own: readonly Candidates[], project: Candidates): boolean {
  if ([...own, project].some(({ final }) => final.all.some((rule) => !rule.isConditional))) return true;
  // The kindest case: what denies only some calls does not match, whatever else is there does.
  const couldHold = (compiled: CompiledRule) =>
    isWritten(compiled) && (!compiled.isConditional || compiled.rule.action !== "deny");
  const isDeny = ({ rule }: CompiledRule) => rule.action === "deny";
  const first: First = (rules, test) => rules.all.find(test);
  if (winners(own, first, couldHold).some(isDeny)) return true;
  const denied = winners([project], first, couldHold).filter(isDeny);
  const others = own.flatMap(rulesIn).filter(isWritten);
  return denied.some((deny) => !others.some((rule) => !isDeny(rule) && standsAgainst(rule, deny)));
}

/**
 * One where a name decides; else one for each thing that the tool can do. What of that no rule speaks of is decided by
 * that for `*`, which no default loosens either.
 */
function winners(groups: readonly Candidates[], first: First, test: Test): readonly CompiledRule[] {
  const named = best(groups, "named", first, test);
  if (named) return [named];
  const found: CompiledRule[] = [];
  for (const group of groups)
    for (const rules of group.traits) {
      const rule = first(rules, test);
      if (!rule) continue;
      const before = found.findIndex((each) => each.rule.permission === rule.rule.permission);
      if (before < 0) found.push(rule);
      else if (compareRules(rule, found[before]!) > 0) found[before] = rule;
    }
  const isCovered = found.length > 0 && groups.every(({ traitCount }) => traitCount <= found.length);
  if (isCovered && !found.some(isDefault)) return found;
  // Where everything is spoken of, defaults for `*` do not count, and hide none of a person's that does.
  const any = best(groups, "any", first, isCovered ? (rule) => test(rule) && !isDefault(rule) : test);
  return any ? [...found, any] : found;
}

/** By a person or with Toolkeep, in the place of being an answer. */
function isWritten({ rule }: CompiledRule): boolean {
  return !rule.isAnswer;
}

function isAny(): boolean {
  return true;
}

function isDefault({ rule }: CompiledRule): boolean {
  return rule.from === "default";
}

/** All that are about the tool. */
export function rulesIn({ named, traits, any }: Candidates): readonly CompiledRule[] {
  return [...named.all, ...traits.flatMap(({ all }) => all), ...any.all];
}

function standsAgainst(winner: CompiledRule, project: CompiledRule): boolean {
  const { from } = winner.rule;
  return (from === "agent" || from === "session") && compareRules(winner, project) > 0;
}

function best(
  groups: readonly Candidates[],
  list: "named" | "any",
  first: First,
  test: Test,
): CompiledRule | undefined {
  let found: CompiledRule | undefined;
  for (const group of groups) {
    const rule = first(group[list], test);
    if (rule && (!found || compareRules(rule, found) > 0)) found = rule;
  }
  return found;
}

function isEmpty({ named, traits, any }: Candidates): boolean {
  return named.all.length + traits.length + any.all.length === 0;
}

function strictest(rules: readonly CompiledRule[], actionOf: ActionOf): CompiledRule | undefined {
  let found: CompiledRule | undefined;
  for (const rule of rules) {
    const difference = found ? STRICTNESS[actionOf(rule)] - STRICTNESS[actionOf(found)] : 1;
    if (difference > 0 || (difference === 0 && compareRules(rule, found!) > 0)) found = rule;
  }
  return found;
}
