/** A file of rules with calls and their expected decisions, checked without a daemon. */
import { z } from "zod";
import { CAPABILITIES } from "../../../contract/tool.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { oneOf, text, yesOrNo } from "../../../machine/config/document/expectation.ts";
import { ruleFields, ruleOf } from "../../../machine/config/sections/rule-shape.ts";
import type { Rule } from "../../../machine/config/settings.ts";
import type { Action, RuledTool } from "../compiled-rule.ts";
import { defaultRules } from "../default-rules.ts";
import { Rules } from "../rules.ts";

const ACTIONS = ["allow", "ask", "deny"] as const;
const MAX_CASES = 10_000;

const caseShape = z.strictObject({
  tool: text("a tool name, or <origin>:<tool>", 200),
  expect: oneOf(ACTIONS),
  args: z.record(z.string(), z.unknown(), "an object").optional(),
  agent: text("the name of an agent", 200).optional(),
  conversation: text("a conversation of that agent", 200).optional(),
  /** The schema of the tool's arguments. */
  schema: z.record(z.string(), z.unknown(), "a JSON schema").optional(),
  after: z.array(text("a label", 40), "a list of labels").optional(),
  capabilities: z.array(oneOf(CAPABILITIES), "a list of capabilities").optional(),
  destructive: yesOrNo().optional(),
  untrusted: yesOrNo().optional(),
});

const fileShape = z.object({
  rules: z
    .array(
      ruleFields.extend({
        agent: text("the name of an agent", 200).optional(),
        conversation: text("a conversation of that agent", 200).optional(),
        project: yesOrNo().optional(),
      }),
      "a list of rules",
    )
    .max(20_000),
  cases: z.array(caseShape, "a list of cases").max(MAX_CASES).default([]),
  default_rules: yesOrNo().default(false),
  /** What `~` stands for, and the folder that relative paths start from. */
  home: text("an absolute path", 4_096).regex(/^\//, "an absolute path").default("/home/user"),
  workspace: text("an absolute path", 4_096).regex(/^\//, "an absolute path").default("/workspace"),
});

export type RuleFile = z.output<typeof fileShape>;

export interface CaseResult {
  readonly tool: string;
  readonly expected: Action;
  readonly got: Action;
  readonly rule: string;
  readonly ok: boolean;
}

/** The error says what was expected where. */
export function readRuleFile(value: unknown): Result<RuleFile, string> {
  const parsed = fileShape.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const problems = parsed.error.issues.slice(0, 5).map(({ path, message }) => {
    return `${
      path
        .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
        .join("")
        .replace(/^\./, "") || "the file"
    }: expected ${message}`;
  });
  return err(problems.join("; "));
}

export function checkCases({
  rules,
  cases,
  default_rules,
  home,
  workspace,
}: RuleFile): readonly CaseResult[] {
  const defaults = defaultRules(
    { defaultRules: default_rules, trust: { allowHosts: [] } },
    { isSandboxed: false },
  );
  const shared = rules.filter(({ agent }) => agent === undefined);
  const compiled = new Rules(
    [
      ...defaults,
      ...shared.map((rule): Rule => ({ ...ruleOf(rule), from: rule.project ? "project" : "user" })),
    ],
    { userHome: home },
  );
  return cases.map(({ tool, expect, args, agent, conversation, after, ...about }) => {
    const ofAgent = rules.filter((rule) => rule.agent !== undefined && rule.agent === agent);
    const own = ofAgent
      .filter((rule) => rule.conversation === undefined || rule.conversation === conversation)
      .map(
        (rule): Rule => ({ ...ruleOf(rule), from: rule.conversation === undefined ? "agent" : "session" }),
      );
    const extra = own.length === 0 ? [] : [compiled.compileExtra(own)];
    const pathBase = () => ({ workspace, userHome: home });
    const call = { ...(args && { args }), labels: new Set(after), pathBase };
    const { action, rule } = compiled.decide(toolOf(tool, about), call, extra);
    return { tool, expected: expect, got: action, rule, ok: action === expect };
  });
}

function toolOf(
  written: string,
  { capabilities = [], destructive = false, untrusted = false, schema }: Partial<z.output<typeof caseShape>>,
): RuledTool {
  const end = written.lastIndexOf(":");
  const origin = end < 0 ? "native" : written.slice(0, end);
  const ownName = written.slice(end + 1);
  const name = end < 0 ? written : `${origin.replaceAll(":", "_")}_${ownName}`;
  const flags = { readOnly: false, concurrencySafe: false, destructive };
  // As for the tools of servers.
  const startsElsewhere = written.startsWith("mcp:");
  return {
    ...{ name, origin, ownName, capabilities, flags, untrusted, startsElsewhere },
    ...(schema && { inputSchema: schema }),
  };
}
