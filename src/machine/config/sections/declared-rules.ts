/** The watchdog rules of a settings file: `rules: [{permission, pattern, action}]`. */
import { isRecord } from "../../../lib/json.ts";
import type { KeyPath } from "../document/document.ts";
import type { FileReport } from "../problem.ts";
import type { Rule } from "../settings.ts";
import { ruleOf, ruleShape } from "./rule-shape.ts";

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
        "The tools it is about: a tool name, `mcp:<server>:<tool>`, a capability (`fs.write`, `net`, `shell` …), `destructive`, or `*`; `*` stands for anything.",
    },
    action: { default: "", description: "`allow`, `ask` or `deny`." },
    pattern: {
      default: "*",
      description:
        "The calls it is about: a glob over the path, host or command, or an object of globs over `path`, `host`, `command` and `arg.<name>`.",
    },
    final: { default: "false", description: "Of a deny: nothing loosens it." },
    after: {
      default: "",
      description: "Only once the conversation has this label, such as `untrusted_content`.",
    },
  };

const MAX_RULES = 1000;

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
    return { rule: { ...ruleOf(parsed.data), from }, path };
  }
  report.mismatches(parsed.error, value, path);
  return undefined;
}
