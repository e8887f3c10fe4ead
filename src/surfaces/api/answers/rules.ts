import type * as contract from "../contract/rule-contract.ts";
import * as s from "./shape.ts";

const action = s.anyOfTexts(["allow", "ask", "deny"]);
const pattern = { description: "A glob, or an object of globs." };
const labels = { ...s.texts, description: "What the conversation has come in touch with." };

export const ruleAnswers = {
  RuleView: s.shape<contract.RuleView>({
    id: s.orNull(s.text),
    from: s.anyOfTexts(["default", "user", "project", "agent", "session"]),
    where: s.text,
    agent: s.orNull(s.text),
    conversation: s.orNull(s.text),
    permission: s.text,
    pattern,
    action,
    final: s.yesNo,
    after: s.orNull(s.text),
    only: s.orNull(s.text),
    except: s.texts,
    unless: pattern,
    note: s.text,
    createdBy: s.orNull(s.text),
    createdAt: s.orNull(s.time),
    expiresAt: s.orNull(s.time),
  }),
  RuleList: s.shape<contract.RuleList>({ rules: s.listOf(s.ref("RuleView")) }),
  RuleAnswer: s.shape<contract.RuleAnswer>({ rule: s.ref("RuleView"), unmatched: s.yesNo }),
  RuleCheck: s.shape<contract.RuleCheck>({
    ok: s.yesNo,
    problems: s.listOf(s.shape<contract.RuleProblem>({ field: s.text, expected: s.text })),
    text: s.orNull(s.text),
    tools: s.count,
    some: s.texts,
    same: s.orNull(s.ref("RuleView")),
  }),
  RuleExplanation: s.shape<contract.RuleExplanation>({
    tool: s.text,
    agent: s.text,
    capabilities: s.texts,
    action,
    text: s.text,
    rule: s.orNull(s.ref("RuleView")),
    hidden: s.yesNo,
    labels,
    subjects: s.shape<contract.RuleExplanation["subjects"]>({
      path: s.texts,
      host: s.texts,
      command: s.texts,
    }),
    others: s.listOf(s.shape<contract.OtherRule>({ rule: s.ref("RuleView"), matched: s.yesNo, why: s.text })),
    changes: s.listOf(
      s.shape<contract.RuleExplanation["changes"][number]>({
        permission: s.text,
        action,
        pattern: s.optional(pattern),
        final: s.optional(s.yesNo),
        after: s.optional(s.text),
        agent: s.optional(s.text),
      }),
    ),
  }),
  LabelList: s.shape<contract.LabelList>({
    labelled: s.listOf(
      s.shape<contract.LabelledConversation>({
        agent: s.text,
        conversation: s.orNull(s.text),
        labels: s.texts,
        labelledAt: s.time,
      }),
    ),
    more: s.yesNo,
  }),
  LabelsCleared: s.shape<contract.LabelsCleared>({ cleared: s.count }),
  RuleSimulation: s.shape<contract.RuleSimulation>({
    looked: s.count,
    decided: s.count,
    skipped: s.count,
    incomplete: s.count,
    more: s.yesNo,
    different: s.count,
    differing: s.listOf(
      s.shape<contract.SimulatedCall>({
        id: s.text,
        at: s.time,
        agent: s.text,
        tool: s.text,
        before: s.text,
        after: s.text,
        rule: s.text,
        unsure: s.orNull(s.text),
      }),
    ),
  }),
};
