import type { RuleExplanation, RuleInput, RuleView } from "../api/contract.ts";
import { oneLine } from "../daemon/printable.ts";
import { fields } from "./table.ts";

/** `run_shell on git * → allow`. */
export function ruleText({
  permission,
  pattern,
  after,
  final,
  action,
}: Partial<RuleView> & RuleInput): string {
  const about = pattern == null ? "" : ` on ${patternText(pattern)}`;
  const since = after == null ? "" : ` after ${after}`;
  return oneLine(`${permission}${about}${since} → ${final ? "final " : ""}${action}`);
}

export function patternText(pattern: NonNullable<RuleView["pattern"]>): string {
  return typeof pattern === "string" ? pattern : JSON.stringify(pattern);
}

/** Whose it is and where it stands: `user (rul_…)`, `project, /srv/x/toolkeep.json`. */
export function placeText({ id, from, where, agent, conversation }: RuleView): string {
  const whose = [agent && `agent ${agent}`, conversation && `conversation ${conversation}`].filter(Boolean);
  const place = id ?? (where === from ? "" : where);
  return [from, ...whose, place].filter(Boolean).join(", ");
}

export function explanationText(said: RuleExplanation): string {
  const { tool, agent, action, rule, others, subjects, labels, changes } = said;
  const about = Object.entries(subjects).flatMap(([kind, values]) =>
    values.map((value: string) => `${kind} ${oneLine(value)}`),
  );
  const head = fields([
    ["tool", tool],
    ["agent", agent],
    ["decision", `${action}${remark(said)}`],
    ["rule", rule ? ruleText(inputOf(rule)) : "none matches, so it is allowed"],
    ["from", rule ? placeText(rule) : ""],
    ["note", rule?.note ?? ""],
    ["can do", said.capabilities.join(", ")],
    ["about", about.join(", ")],
    ["labels", labels.join(", ")],
  ]);
  const matched = others.filter((other) => other.matched);
  const unmatched = others.filter((other) => !other.matched);
  return [
    head,
    list("Matched as well:", matched),
    list("About this tool, but not this call:", unmatched),
    changes.length === 0
      ? action === "deny" && rule?.final
        ? "\nNothing loosens a final deny; only removing it does.\n"
        : ""
      : `\nWhat would change it:\n${changes.map((change) => `  ${addCommand(change)}\n`).join("")}`,
  ].join("");
}

function remark({ action, hidden, rule }: RuleExplanation): string {
  if (hidden) return ", and hidden from its lists";
  return action === "allow" && rule?.action === "ask" ? ", because nobody asks the operator" : "";
}

function list(heading: string, others: RuleExplanation["others"]): string {
  if (others.length === 0) return "";
  const lines = others.map(({ rule, why }) => `  ${ruleText(inputOf(rule))}  (${placeText(rule)}): ${why}\n`);
  return `\n${heading}\n${lines.join("")}`;
}

function addCommand({ permission, action, pattern, agent }: RuleExplanation["changes"][number]): string {
  const on = pattern === undefined ? "" : ` --pattern '${patternText(pattern).replaceAll("'", `'\\''`)}'`;
  const whose = agent === undefined ? "" : ` --agent ${agent}`;
  return oneLine(`toolkeep rule add ${permission} ${action}${on}${whose}`);
}

function inputOf({ pattern, after, ...rule }: RuleView): Partial<RuleView> & RuleInput {
  const { permission, action, final } = rule;
  return {
    permission,
    action,
    final,
    ...(pattern !== null && { pattern }),
    ...(after !== null && { after }),
  };
}
