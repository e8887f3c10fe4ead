import { oneLine } from "../../../lib/terminal/printable.ts";
import { fields } from "../../../lib/terminal/table.ts";
import type { RuleExplanation, RuleInput, RuleView } from "../../api/contract.ts";

/** `run_shell on git * → allow`. */
export function formatRule({
  permission,
  pattern,
  after,
  only,
  except = [],
  unless,
  final,
  action,
}: Partial<RuleView> & RuleInput): string {
  const of = only == null ? "" : ` of ${only} servers`;
  const about = pattern == null ? "" : ` on ${formatPattern(pattern)}`;
  const since = after == null ? "" : ` after ${after}`;
  const not = except.length === 0 ? "" : ` except ${except.join(", ")}`;
  const but = unless == null ? "" : ` unless ${formatPattern(unless)}`;
  return oneLine(`${permission}${of}${about}${since}${not}${but} → ${final ? "final " : ""}${action}`);
}

/** Like `formatRule`, for a rule as the API returns it. */
export function formatRuleView(rule: RuleView): string {
  return formatRule(toRuleInput(rule));
}

export function formatPattern(pattern: NonNullable<RuleView["pattern"]>): string {
  return typeof pattern === "string" ? pattern : JSON.stringify(pattern);
}

/** Where a rule comes from and who it is for: `user, rul_…`, `project, /srv/x/toolkeep.json`. */
export function formatRuleOrigin({ id, from, where, agent, conversation }: RuleView): string {
  const whose = [agent && `agent ${agent}`, conversation && `conversation ${conversation}`].filter(Boolean);
  const place = id ?? (where === from ? "" : where);
  return [from, ...whose, place].filter(Boolean).join(", ");
}

export function formatExplanation(explanation: RuleExplanation): string {
  const { tool, agent, action, rule, others, subjects, labels, changes } = explanation;
  const about = Object.entries(subjects).flatMap(([kind, values]) =>
    values.map((value: string) => `${kind} ${oneLine(value)}`),
  );
  const head = fields([
    ["tool", tool],
    ["agent", agent],
    ["decision", `${action}${explainAction(explanation)}`],
    ["rule", rule ? formatRuleView(rule) : "none matches, so the call is allowed"],
    ["from", rule ? formatRuleOrigin(rule) : ""],
    ["note", rule?.note ?? ""],
    ["can do", explanation.capabilities.join(", ")],
    ["about", about.join(", ")],
    ["labels", labels.join(", ")],
  ]);
  const matched = others.filter((other) => other.matched);
  const unmatched = others.filter((other) => !other.matched);
  return [
    head,
    formatOtherRules("Other rules that match:", matched),
    formatOtherRules("Rules for this tool that do not match this call:", unmatched),
    changes.length === 0
      ? action === "deny" && rule?.final
        ? "\nA final deny cannot be overridden. Remove the rule to allow the call.\n"
        : ""
      : `\nTo change this:\n${changes.map((change) => `  ${formatAddCommand(change)}\n`).join("")}`,
  ].join("");
}

function explainAction({ action, hidden, rule }: RuleExplanation): string {
  if (hidden) return ", and hidden from its lists";
  if (rule?.action !== "ask" || action === "ask") return "";
  return action === "allow"
    ? ", because the operator is never asked"
    : ", because nobody can be asked for a headless agent";
}

function formatOtherRules(heading: string, others: RuleExplanation["others"]): string {
  if (others.length === 0) return "";
  const lines = others.map(
    ({ rule, why }) => `  ${formatRuleView(rule)}  (${formatRuleOrigin(rule)}): ${why}\n`,
  );
  return `\n${heading}\n${lines.join("")}`;
}

function formatAddCommand({
  permission,
  action,
  pattern,
  agent,
}: RuleExplanation["changes"][number]): string {
  const on = pattern === undefined ? "" : ` --pattern '${formatPattern(pattern).replaceAll("'", `'\\''`)}'`;
  const whose = agent === undefined ? "" : ` --agent ${agent}`;
  return oneLine(`toolkeep rule add ${permission} ${action}${on}${whose}`);
}

function toRuleInput({ pattern, after, ...rule }: RuleView): Partial<RuleView> & RuleInput {
  const { permission, action, final, only, except, unless } = rule;
  return {
    only,
    except,
    unless,
    permission,
    action,
    final,
    ...(pattern !== null && { pattern }),
    ...(after !== null && { after }),
  };
}
