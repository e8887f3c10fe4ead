/** A rule as people write it: in settings files, through the API, in files of rules. */
import { z } from "zod";
import { oneOf, text, yesOrNo } from "../document/expectation.ts";
import type { Rule, RulePattern } from "../settings.ts";

const MAX_GLOBS = 50;
const MAX_PREDICATES = 20;
const PREDICATE = /^(?:path|host|command|arg\..{1,100})$/;
const PATTERN_EXPECTED = "a glob, or an object with path, host, command or arg.<name>";

const glob = text("a glob of at most 500 characters", 500);
const globs = z.union(
  [glob, z.array(glob).min(1).max(MAX_GLOBS)],
  `a glob, or a list of at most ${MAX_GLOBS}`,
);

const predicates = z
  .record(z.string(), globs, PATTERN_EXPECTED)
  .refine((pattern) => Object.keys(pattern).every((name) => PREDICATE.test(name)), PATTERN_EXPECTED)
  .refine((pattern) => {
    const { length } = Object.keys(pattern);
    return length > 0 && length <= MAX_PREDICATES;
  }, `1 to ${MAX_PREDICATES} predicates`);

export const LABEL = /^[a-z][a-z0-9_]{0,39}$/;

export const ruleFields = z.object({
  permission: text("a tool name, mcp:<server>:<tool>, a capability, destructive or *", 200),
  action: oneOf(["allow", "ask", "deny"]),
  pattern: z.union([glob, predicates], PATTERN_EXPECTED).optional(),
  final: yesOrNo().optional(),
  after: z.string("a label").regex(LABEL, "a label: small letters, digits and _").optional(),
});

export const ruleShape = ruleFields.refine(({ final, action }) => !final || action === "deny", {
  path: ["final"],
  message: "only with the action deny",
});

export type WrittenRule = Omit<Rule, "from" | "id" | "isAnswer" | "only" | "unless">;

/** Returns the rule without empty fields. */
export function ruleOf(parsed: z.output<typeof ruleShape>): WrittenRule {
  const { permission, action, pattern, final, after } = parsed;
  return {
    permission,
    action,
    ...(pattern === undefined || pattern === "*" ? {} : { pattern: pattern as RulePattern }),
    ...(final && { final }),
    ...(after === undefined ? {} : { after }),
  };
}
