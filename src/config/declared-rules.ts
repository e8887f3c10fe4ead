/** The watchdog rules of a settings file: `rules: [{permission, action}]`. */
import { z } from "zod";
import { isRecord } from "../lib/json.ts";
import type { KeyPath } from "./document.ts";
import { oneOf, text } from "./expectation.ts";
import type { FileReport } from "./problem.ts";
import type { Rule } from "./settings.ts";

/** A rule and where the file declares it. */
export interface DeclaredRule {
  readonly rule: Rule;
  readonly path: KeyPath;
}

export const RULE_KEYS: Readonly<Record<string, { readonly default: string; readonly description: string }>> =
  {
    permission: {
      default: "",
      description:
        "The tools it is about: a tool name, `mcp:<server>:<tool>`, or `*`; `*` stands for anything.",
    },
    action: { default: "", description: "`allow`, `ask` or `deny`." },
    pattern: { default: "*", description: "Only `*`, every call, is accepted." },
  };

const MAX_RULES = 1000;

const ruleShape = z.object({
  permission: text("a tool name, mcp:<server>:<tool> or *", 200),
  action: oneOf(["allow", "ask", "deny"]),
  // a pattern that was ignored would make its rule say more than its author wrote
  pattern: z.literal("*", '"*"').optional(),
});

/** Every rule of the file that is valid; what is wrong with the others is in the report. */
export function readRules(rules: unknown, from: "user" | "project", report: FileReport): DeclaredRule[] {
  if (rules == null) return [];
  if (!Array.isArray(rules) || rules.length > MAX_RULES) {
    report.expected(["rules"], `a list of at most ${MAX_RULES} rules`, rules);
    return [];
  }
  return rules.flatMap((rule, index) => readRule(rule, ["rules", index], from, report) ?? []);
}

function readRule(
  value: unknown,
  path: KeyPath,
  from: "user" | "project",
  report: FileReport,
): DeclaredRule | undefined {
  if (!isRecord(value)) {
    report.expected(path, "an object with permission and action", value);
    return undefined;
  }
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(RULE_KEYS, key)) report.unknownKey([...path, key], Object.keys(RULE_KEYS));
  }
  const parsed = ruleShape.safeParse(value);
  if (parsed.success) {
    const { permission, action } = parsed.data;
    return { rule: { permission, action, from }, path };
  }
  report.mismatches(parsed.error, value, path);
  return undefined;
}
