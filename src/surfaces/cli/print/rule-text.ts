import { oneLine } from "../../../lib/terminal/printable.ts";
import { fields } from "../../../lib/terminal/table.ts";
import type { RuleExplanation, RuleInput, RuleView } from "../../api/contract.ts";

/** `run_shell on git * → allow`. */
export function ruleText({
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
  const about = pattern == null ? "" : ` on ${patternText(pattern)}`;
  const since = after == null ? "" : ` after ${after}`;
  const not = except.length === 0 ? "" : ` except ${except.join(", ")}`;
  const but = unless == null ? "" : ` unless ${patternText(unless)}`;
  return oneLine(`${permission}${of}${about}${since}${not}${but} → ${final ? "final " : ""}${action}`);
}

/** The same of a rule as the API gives it. */
export function viewText(rule: RuleView): string {
  return ruleText(inputOf(rule));
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
    ["rule", rule ? viewText(rule) : "none matches, so it is allowed"],
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
  if (rule?.action !== "ask" || action === "ask") return "";
  return action === "allow"
    ? ", because nobody asks the operator"
    : ", because nobody is asked for a headless agent";
}

function list(heading: string, others: RuleExplanation["others"]): string {
  if (others.length === 0) return "";
  const lines = others.map(({ rule, why }) => `  ${viewText(rule)}  (${placeText(rule)}): ${why}\n`);
  return `\n${heading}\n${lines.join("")}`;
}

function addCommand({ permission, action, pattern, agent }: RuleExplanation["changes"][number]): string {
  const on = pattern === undefined ? "" : ` --pattern '${patternText(pattern).replaceAll("'", `'\\''`)}'`;
  const whose = agent === undefined ? "" : ` --agent ${agent}`;
  return oneLine(`toolkeep rule add ${permission} ${action}${on}${whose}`);
}

function inputOf({ pattern, after, ...rule }: RuleView): Partial<RuleView> & RuleInput {
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
