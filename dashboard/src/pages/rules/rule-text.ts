import type { RuleView } from "../../api/contract.ts";

/** The rule that the audit means by such a text; it may be gone by now. */
export function ruleOfText(rules: readonly RuleView[], text: string): RuleView | undefined {
  return rules.find((rule) => textOf(rule) === text);
}

/** What the audit has where no rule was about a call. */
export const NO_RULE = "default: allow";

/** As the audit names a rule. */
function textOf({ from, id, permission, pattern, after, only, action, final }: RuleView): string {
  const written = typeof pattern === "object" && pattern !== null ? JSON.stringify(pattern) : pattern;
  return [
    id === null ? `${from}:` : `${from} (${id}):`,
    permission,
    only !== null && `of ${only} servers`,
    written !== null && `on ${written}`,
    after !== null && `after ${after}`,
    `→ ${final ? "final " : ""}${action}`,
  ]
    .filter(Boolean)
    .join(" ");
}
