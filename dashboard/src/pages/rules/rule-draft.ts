import type { NewRuleInput, RuleInput, RuleView } from "../../api/contract.ts";

export type PatternKind = "none" | "path" | "host" | "command" | "argument" | "anything";

/** The form state of a rule. */
export interface RuleDraft {
  readonly action: RuleInput["action"];
  readonly permission: string;
  readonly patternKind: PatternKind;
  /** The argument's name, for the pattern kind "argument". */
  readonly argument: string;
  /** One glob per line. */
  readonly globs: string;
  /** Predicates that the form does not show; kept unchanged. */
  readonly otherPredicates: Readonly<Record<string, string | readonly string[]>>;
  readonly agent: string;
  readonly final: boolean;
  readonly after: string;
  readonly note: string;
  /** Hours until it expires; "" for never. */
  readonly hours: string;
}

export const EMPTY_DRAFT: RuleDraft = {
  action: "ask",
  permission: "",
  patternKind: "none",
  argument: "",
  globs: "",
  otherPredicates: {},
  agent: "",
  final: false,
  after: "",
  note: "",
  hours: "",
};

export function toDraft(rule: RuleView): RuleDraft {
  const { action, permission, pattern, agent, final, after, note } = rule;
  const fields = { action, permission, agent: agent ?? "", final, after: after ?? "", note };
  return { ...EMPTY_DRAFT, ...fields, ...toPatternDraft(pattern) };
}

/** Splits a pattern into form fields. */
export function toPatternDraft(pattern: RuleView["pattern"]): Partial<RuleDraft> {
  if (pattern === null) return {};
  if (typeof pattern === "string") return { patternKind: "anything", globs: pattern };
  const [first, ...rest] = Object.entries(pattern);
  if (!first) return {};
  const [name, globs] = first;
  const isArgument = name.startsWith("arg.");
  return {
    patternKind: isArgument ? "argument" : (name as PatternKind),
    argument: isArgument ? name.slice("arg.".length) : "",
    globs: [globs].flat().join("\n"),
    otherPredicates: Object.fromEntries(rest),
  };
}

/** Converts the form to API input. Empty fields are sent as well, so that the daemon can say what is missing. */
export function toRuleInput(draft: RuleDraft): RuleInput {
  const pattern = toPattern(draft);
  return {
    permission: draft.permission.trim(),
    action: draft.action,
    ...(pattern !== undefined && { pattern }),
    ...(draft.final && draft.action === "deny" && { final: true }),
    ...(draft.after.trim() !== "" && { after: draft.after.trim() }),
  };
}

export function toNewRuleInput(draft: RuleDraft): NewRuleInput {
  return {
    ...toRuleInput(draft),
    ...(draft.agent !== "" && { agent: draft.agent }),
    ...(draft.note !== "" && { note: draft.note }),
    ...(draft.hours !== "" && { expiresInMs: Number(draft.hours) * 3_600_000 }),
  };
}

function toPattern({ patternKind, argument, globs, otherPredicates }: RuleDraft): RuleInput["pattern"] {
  const lines = globs
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const [first = ""] = lines;
  if (patternKind === "none") return Object.keys(otherPredicates).length === 0 ? undefined : otherPredicates;
  if (patternKind === "anything") return first;
  const name = patternKind === "argument" ? `arg.${argument.trim()}` : patternKind;
  return { [name]: lines.length > 1 ? lines : first, ...otherPredicates };
}
