import type { NewRuleInput, RuleInput, RuleView } from "../../api/contract.ts";

export type Narrowing = "none" | "path" | "host" | "command" | "argument" | "anything";

/** A rule as it stands in the form. */
export interface RuleDraft {
  readonly action: RuleInput["action"];
  readonly permission: string;
  readonly narrowing: Narrowing;
  /** The name of the argument, where it is narrowed by one. */
  readonly argument: string;
  /** A glob a line. */
  readonly globs: string;
  /** Predicates beside the one that the form shows; kept as they are. */
  readonly others: Readonly<Record<string, string | readonly string[]>>;
  readonly agent: string;
  readonly final: boolean;
  readonly after: string;
  readonly note: string;
  /** In hours; "" for good. */
  readonly hours: string;
}

export const EMPTY_DRAFT: RuleDraft = {
  action: "ask",
  permission: "",
  narrowing: "none",
  argument: "",
  globs: "",
  others: {},
  agent: "",
  final: false,
  after: "",
  note: "",
  hours: "",
};

export function draftOf(rule: RuleView): RuleDraft {
  const { action, permission, pattern, agent, final, after, note } = rule;
  const written = { action, permission, agent: agent ?? "", final, after: after ?? "", note };
  return { ...EMPTY_DRAFT, ...written, ...patternDraft(pattern) };
}

/** Which calls it is for. */
export function patternDraft(pattern: RuleView["pattern"]): Partial<RuleDraft> {
  if (pattern === null) return {};
  if (typeof pattern === "string") return { narrowing: "anything", globs: pattern };
  const [first, ...rest] = Object.entries(pattern);
  if (!first) return {};
  const [name, globs] = first;
  const isArgument = name.startsWith("arg.");
  return {
    narrowing: isArgument ? "argument" : (name as Narrowing),
    argument: isArgument ? name.slice("arg.".length) : "",
    globs: [globs].flat().join("\n"),
    others: Object.fromEntries(rest),
  };
}

/** As the API takes it. What is left empty is sent so that the daemon can say what is missing. */
export function ruleIn(draft: RuleDraft): RuleInput {
  const pattern = patternIn(draft);
  return {
    permission: draft.permission.trim(),
    action: draft.action,
    ...(pattern !== undefined && { pattern }),
    ...(draft.final && draft.action === "deny" && { final: true }),
    ...(draft.after.trim() !== "" && { after: draft.after.trim() }),
  };
}

export function newRuleIn(draft: RuleDraft): NewRuleInput {
  return {
    ...ruleIn(draft),
    ...(draft.agent !== "" && { agent: draft.agent }),
    ...(draft.note !== "" && { note: draft.note }),
    ...(draft.hours !== "" && { expiresInMs: Number(draft.hours) * 3_600_000 }),
  };
}

function patternIn({ narrowing, argument, globs, others }: RuleDraft): RuleInput["pattern"] {
  const lines = globs
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const [first = ""] = lines;
  if (narrowing === "none") return Object.keys(others).length === 0 ? undefined : others;
  if (narrowing === "anything") return first;
  const name = narrowing === "argument" ? `arg.${argument.trim()}` : narrowing;
  return { [name]: lines.length > 1 ? lines : first, ...others };
}
