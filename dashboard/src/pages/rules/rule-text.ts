import type { RuleView } from "../../api/contract.ts";

/** Finds the rule that an audit record names; undefined when it no longer exists. */
export function findRuleByText(rules: readonly RuleView[], text: string): RuleView | undefined {
  return rules.find((rule) => formatRuleText(rule) === text);
}

/** The audit's text for a call that no rule matched. */
export const NO_RULE = "default: allow";

/** Formats a rule as the audit does. */
function formatRuleText({ from, id, permission, pattern, after, only, action, final }: RuleView): string {
  const patternText = typeof pattern === "object" && pattern !== null ? JSON.stringify(pattern) : pattern;
  return [
    id === null ? `${from}:` : `${from} (${id}):`,
    permission,
    only !== null && `of ${only} servers`,
    patternText !== null && `on ${patternText}`,
    after !== null && `after ${after}`,
    `→ ${final ? "final " : ""}${action}`,
  ]
    .filter(Boolean)
    .join(" ");
}
